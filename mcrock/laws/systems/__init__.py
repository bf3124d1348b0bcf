"""The systems of the source papers: each with its laws (`example`), its figure (`plot`) and a test."""
