"""The systems of the source papers, each with its laws, a figure and a test."""
