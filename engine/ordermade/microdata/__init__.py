"""Answers that need the records themselves: columns pulled as sorted slices, grouped, and released from the groups."""
