"""The systems of the source papers: each with its laws, its figure (`plot`) and a test."""
