"""Batch systems as they are: tests that start a Slurm of their own, or run what a PBS would."""
