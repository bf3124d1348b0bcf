"""The command `mcrock`, one module per command or group of commands.

`program` lists them. Heavy imports happen inside their functions, so that `--help` and completion are
instant.
"""
