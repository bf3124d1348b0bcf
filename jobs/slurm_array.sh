#!/bin/bash
# A study as a Slurm job array: sbatch jobs/slurm_array.sh
# Every task computes its share of the chunks of one store. Submit the same script again after a
# time limit or a lost node: what is done is kept. The task that finishes the study prints its table.

#SBATCH --job-name=mcrock
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --mem=4G
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --output=mcrock-%A-%a.out

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result, on a file system that all nodes share
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
source .venv/bin/activate      # where mcrock is installed

exec mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --resume --workers "$SLURM_CPUS_PER_TASK" \
    --task "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
