#!/bin/bash
# A safety assessment from study file to figures: bash jobs/assessment.sh, or sbatch jobs/assessment.sh
# It stops at the first step that fails. Start it again after an interruption: runs that are done are kept.

#SBATCH --job-name=mcrock-assessment
#SBATCH --cpus-per-task=8
#SBATCH --mem=8G
#SBATCH --time=04:00:00
#SBATCH --output=mcrock-%j.out

CONFIG=configs/quickstart.toml # study file
STORE=quickstart.zarr          # result
FIGURES=quickstart             # folder of figures, tables and report
HAZARD=""                      # hazard curves of the site, as hazard.csv; without them no risk
OPTIONS=()                     # of check and run, as (--set ensemble.realizations=10000)
source .venv/bin/activate      # where mcrock is installed

set -euo pipefail
mkdir -p "$FIGURES"
mcrock check "$CONFIG" "${OPTIONS[@]}" | tee "$FIGURES/check.txt"
mcrock run "$CONFIG" -o "$STORE" "${OPTIONS[@]}" --resume
mcrock verify "$STORE" # every byte, before anything is concluded
mcrock stats "$STORE" | tee "$FIGURES/stats.txt"
mcrock stats "$STORE" --json > "$FIGURES/stats.json"
mcrock plot "$STORE" -o "$FIGURES"
if [ -n "$HAZARD" ]; then
    mcrock risk "$STORE" "$HAZARD" -o "$FIGURES" | tee "$FIGURES/risk.txt"
fi
mcrock report "$STORE" -o "$FIGURES/report.html" --overwrite ${HAZARD:+--hazard "$HAZARD"}
