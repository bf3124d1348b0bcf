"""Impact laws in general form: what two or more hard bodies do when they meet.

`mcrock.impact` holds the maps that the rocking model runs on; this library holds the laws of the literature
side by side, on any mass matrix and any number of contacts, with the checks that each outcome passes or not.
"""
