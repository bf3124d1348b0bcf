"""What every room needs and no room owns: units, estimates as words, Ctrl-C, memory, notebooks."""
