#!/bin/bash
# A study on all cores of one big node: sbatch jobs/one_node.sh, or bash jobs/one_node.sh without a batch system
# Start the same script again after a time limit: what is done is kept.

#SBATCH --job-name=mcrock-node
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --time=04:00:00
#SBATCH --output=mcrock-%j.out

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
source .venv/bin/activate      # where mcrock is installed

exec mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --processes --resume
