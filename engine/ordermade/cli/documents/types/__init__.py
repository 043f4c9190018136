"""The types of documents, one module a noun. Commands import them for the checker of types alone: they cost time."""
