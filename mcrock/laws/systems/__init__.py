"""The systems of the source papers: each with what it computes, its figure and a test."""
