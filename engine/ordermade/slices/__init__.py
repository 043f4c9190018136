"""Records of a source as slices of columns: stored once in the workspace, and read as arrays of numbers."""
