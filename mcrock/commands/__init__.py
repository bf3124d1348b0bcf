"""The command `mcrock`, modules of commands by subject.

`program` lists them. Heavy imports happen inside their functions, so that `--help` and completion are
instant.
"""
