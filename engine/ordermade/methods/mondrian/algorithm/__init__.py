"""Mondrian: records partitioned into boxes of k or more, one attribute split after another. Pure, on codes of values.

Importing this package imports nothing else.
"""
