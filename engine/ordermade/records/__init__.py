"""Results, records and progress as people look at them in Python: on a terminal, and in a notebook."""
