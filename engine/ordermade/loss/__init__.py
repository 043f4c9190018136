"""The losses of a generalisation: named metrics of information loss, and objectives of a search."""
