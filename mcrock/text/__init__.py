"""Studies and results as text for people: descriptions, notes, tables, progress."""
