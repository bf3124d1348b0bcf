"""The page of a study, put together from sections of text, tables and figures."""
