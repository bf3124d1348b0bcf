#!/bin/bash
# A study as a PBS job array: qsub jobs/pbs_array.sh
# Every task computes its share of the chunks of one store. Submit the same script again after a
# time limit or a lost node: what is done is kept. The task that finishes the study prints its table.
# OpenPBS and PBS Professional; Torque has `-t` for `-J` and `-l nodes=1:ppn=4,mem=4gb` for `-l select`.

#PBS -N mcrock
#PBS -J 1-8
#PBS -l select=1:ncpus=4:mem=4gb
#PBS -l walltime=01:00:00
#PBS -r y
#PBS -j oe

TASKS=8                        # as behind -J
CORES=4                        # as behind ncpus
CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result, on a file system that all nodes share
OPTIONS=()                     # more of `mcrock run`, as (--set ensemble.realizations=10000)
cd "$PBS_O_WORKDIR" || exit 1
source .venv/bin/activate      # where mcrock is installed

exec mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --resume --workers "$CORES" \
    --task "${PBS_ARRAY_INDEX:-$PBS_ARRAYID}/$TASKS"
