"""The command `mcrock`, one module per command or group of commands."""
