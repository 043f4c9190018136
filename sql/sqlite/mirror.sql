-- An empty database of the workspace with the tables of a source, which says how an answer of the source is typed.
ATTACH ':memory:' AS source
