#!/bin/bash
# A study in the ranks of one large job of Slurm: sbatch jobs/slurm_ranks.sh
# For sites that want one large job. Every rank computes its share of the chunks of one store, without MPI. Submit
# the same script again after a time limit or a lost rank: what is done is kept.

#SBATCH --job-name=mcrock-ranks
#SBATCH --ntasks=32
#SBATCH --mem-per-cpu=2G
#SBATCH --time=01:00:00
#SBATCH --output=mcrock-%j.out

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result, on a file system that all nodes share
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
source .venv/bin/activate      # where mcrock is installed

exec srun bash -c 'exec mcrock run "$@" --task "$((SLURM_PROCID + 1))/$SLURM_NTASKS"' rank \
    "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --resume --workers 1
