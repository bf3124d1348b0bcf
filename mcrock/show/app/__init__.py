"""A page to explore studies in a browser: what it shows comes of the functions that the commands use."""
