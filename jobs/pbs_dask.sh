#!/bin/bash
# A study on PBS through dask: qsub jobs/pbs_dask.sh
# This job is small and long: it submits the workers, jobs of their own that CLUSTER describes, gives them
# work and replaces those that are lost. Submit the same script again after its time limit: what is done is kept.

#PBS -N mcrock-dask
#PBS -l select=1:ncpus=1:mem=4gb
#PBS -l walltime=24:00:00
#PBS -r y
#PBS -j oe

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result, on a file system that all nodes share
CLUSTER=jobs/pbs.yaml          # how many workers, of how many cores
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
cd "$PBS_O_WORKDIR" || exit 1
source .venv/bin/activate      # where mcrock is installed

exec mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --cluster "$CLUSTER" --resume
