"""One call from a table to its release: roles, hierarchies and request drafted, run, measured, written to be edited."""
