"""`python -m mcrock` is the command `mcrock`."""

from mcrock.cli import main

if __name__ == "__main__":
    main()
