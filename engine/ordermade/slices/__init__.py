"""Records of a source as slices of columns: kept once in the workspace, and out of it as arrays of numbers."""
