"""Writing a release: labels joined, rows sorted, the file measured again before it gets its name."""
