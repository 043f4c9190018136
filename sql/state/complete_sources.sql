-- The registered sources, to complete names. One row: a source with its kind, by name.
SELECT s.name, s.kind AS note
FROM sources AS s
WHERE s.removed_at IS NULL
ORDER BY s.name
