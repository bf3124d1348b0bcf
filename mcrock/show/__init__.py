"""What people see of studies and results: text, figures and pages, by subject.

numbers and tables say how one value or a table looks, style how a figure does; `describe` words
a study before it is run, progress one that runs, summary what came out. A function named ``format_...``
returns text and prints nothing, one named ``plot_...`` returns axes; `mcrock.plots` lists these.
"""
