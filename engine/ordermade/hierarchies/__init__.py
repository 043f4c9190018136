"""Generalisation hierarchies: the noun, its two species, how they are read, stored and drafted; pure."""
