"""A study on Slurm through dask: python jobs/dask_slurm.py, on the login node.

Dask submits the workers as jobs and replaces those that are lost or reach their time limit. Needs
`pip install dask-jobqueue`, and a file system that the login node and all workers share. Run it again
after an interruption: what is done is kept.
"""

from dask_jobqueue import SLURMCluster
from distributed import Client

from mcrock import fit_fragility, load_config, run_study

CONFIG = "configs/quickstart.toml"  # study file
STORE = "quickstart.zarr"  # result
JOBS = 8  # Slurm jobs at a time
CORES = 4  # of each job
WALLTIME = "01:00:00"  # of each job
QUEUE = None  # partition, None for the default one

if __name__ == "__main__":
    cluster = SLURMCluster(
        queue=QUEUE,
        cores=CORES,
        processes=1,
        memory="4GB",
        walltime=WALLTIME,
        worker_extra_args=["--lifetime", "55m", "--lifetime-stagger", "4m"],  # end before the time limit
    )
    cluster.adapt(minimum=JOBS, maximum=JOBS)  # scale(JOBS) would not replace a job that is lost
    with Client(cluster) as client:
        client.wait_for_workers(1)
        ds = run_study(load_config(CONFIG), STORE, client=client, resume=True)
    cluster.close()
    print(fit_fragility(ds))
