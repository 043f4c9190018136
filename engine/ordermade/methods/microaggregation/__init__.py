"""Answers that need the records themselves: columns read as sorted slices, grouped, and released from the groups."""
