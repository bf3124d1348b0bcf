"""What every room needs: units, tables, checks, random numbers, compiled code, session and environment."""
