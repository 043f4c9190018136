"""The pure functions of generalisation on arrays: the sealed partition of a table."""
