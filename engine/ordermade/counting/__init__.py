"""Counting, in SQL: dataset versions, marginals, frequency sets, k-checks and roll-ups."""
