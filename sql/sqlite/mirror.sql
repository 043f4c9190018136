-- Attaches an empty database of the workspace for the tables of a source, which gives the types of the source's
-- answers.
ATTACH ':memory:' AS source
