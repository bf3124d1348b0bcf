"""Figures of the impact laws and of the systems that show them."""
