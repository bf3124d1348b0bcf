"""Figures and statements of Chatterjee and Ruina (1998)."""
