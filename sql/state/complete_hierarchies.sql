-- The registered hierarchies, to complete names. One row: a hierarchy with its kind, by name.
SELECT h.name, h.kind AS note
FROM hierarchies AS h
WHERE h.removed_at IS NULL
ORDER BY h.name
