"""Pages of the documentation, and what makes those that are made from declarations."""
