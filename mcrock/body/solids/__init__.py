"""Solids of known shape: many at once as arrays, and one `Body` from checked arguments of Python.

Solids on a base of k corners number their vertices and faces alike: vertices 0 to k-1 are the base
and k to 2k-1 the top above them; face 0 is the base, faces 1 to k are the walls over base edges 0 to
k-1, face k+1 is the top.
"""
