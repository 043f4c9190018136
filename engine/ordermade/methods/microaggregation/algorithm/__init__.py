"""The algorithms of microaggregation: groups of k or more near records, replaced by a common value.

Pure functions on numpy arrays. Each takes the records (`x` for one attribute, `X` with one row a record for several),
and gives labels (the group of each record, from 0) or a path (the rows in order) with a small report. Distances are
Euclidean in the units that the columns come in: `standardised` gives every column the same weight first. Every tie goes
to the lowest row, so that the same records give the same groups.
"""
