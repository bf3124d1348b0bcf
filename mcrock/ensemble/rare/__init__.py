"""Small probabilities by subset simulation within each record."""

from mcrock.ensemble.rare.probability import rare_probability

__all__ = ["rare_probability"]
