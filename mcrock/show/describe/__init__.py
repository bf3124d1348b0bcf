"""A study before it is run, as text, one module per subject.

Each module has the lines that describe its subject and the notes on settings of it that are valid but
suspicious, each a line that begins with "note: ". `study` puts them together.
"""

from mcrock.show.describe.study import describe, uncertain_rows

__all__ = ["describe", "uncertain_rows"]
