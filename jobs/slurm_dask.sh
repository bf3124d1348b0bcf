#!/bin/bash
# A study on Slurm through dask: sbatch jobs/slurm_dask.sh
# This job is small and long: it submits the workers, jobs of their own that CLUSTER describes, gives them
# work and replaces those that are lost. Submit the same script again after its time limit: what is done is kept.

#SBATCH --job-name=mcrock-dask
#SBATCH --cpus-per-task=1
#SBATCH --mem=4G
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --output=mcrock-%j.out

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result, on a file system that all nodes share
CLUSTER=jobs/slurm.yaml        # how many workers, of how many cores
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
source .venv/bin/activate      # where mcrock is installed

exec mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --cluster "$CLUSTER" --resume
