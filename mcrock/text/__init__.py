"""Studies and results as text for people, one module per subject; commands print what stands here.

numbers, tables and json_values say how one value or a table looks, in all of the package; `describe` words
a study before it is run, progress one that runs, summary (with fragility and validity) what came out;
run, records, spectrum, system, checks and bench word what the commands of these names find, and study_file
the reference of the study file. A function named ``format_...`` returns text and prints nothing.
"""
