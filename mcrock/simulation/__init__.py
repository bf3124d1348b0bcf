"""One run with its history, or the runs of a part, on a processor or on a GPU."""
