"""Small probabilities by subset simulation within each record, and studies that stop by themselves."""

from mcrock.ensemble.rare.probability import rare_probability
from mcrock.ensemble.rare.stopping import run_until

__all__ = ["rare_probability", "run_until"]
