"""Multidimensional recoding, from a request's file to its measured release: Mondrian, and what its rules are served."""
