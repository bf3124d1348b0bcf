"""What every room needs: units, tables, checks, random numbers, the compiler and its cache, notebooks."""
