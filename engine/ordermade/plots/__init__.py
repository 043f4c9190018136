"""Pictures of results: their style, their files, and those that a result draws of itself."""
