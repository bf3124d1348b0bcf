"""What every room needs and no room owns: words of estimates, Ctrl-C, memory, notebooks, shipped files."""
