"""Tables of a study file: kinds of values, numbers that may be distributions, and messages for mistakes.

What a table is made of. The tables themselves stand next to what they describe: the sources of ground motions
in `mcrock.excitation`, the shapes of bodies in `mcrock.body`; `mcrock.study` puts them together.
"""
