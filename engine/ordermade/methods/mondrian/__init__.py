"""Multidimensional recoding, from a request's file to its measured release: Mondrian, and its recommendation rules."""
