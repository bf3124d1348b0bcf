#!/bin/bash
# A study in the ranks of MPI: sbatch jobs/mpi.sh, or `mpirun` of its last line anywhere
# For sites that want one large job. Rank 0 hands out the work, rank 1 collects it, the others compute. One lost
# rank ends them all: submit the same script again, and what is done is kept.

#SBATCH --job-name=mcrock-mpi
#SBATCH --ntasks=34
#SBATCH --mem-per-cpu=2G
#SBATCH --time=01:00:00
#SBATCH --output=mcrock-%j.out

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result, on a file system that all nodes share
CLUSTER=jobs/mpi.toml          # network interface
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
source .venv/bin/activate      # where mcrock, dask-mpi and mpi4py are installed

exec mpirun mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --cluster "$CLUSTER" --resume
