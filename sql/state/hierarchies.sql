-- The registered hierarchies. One row: a hierarchy with its number of levels and of leaves listed, by name.
SELECT h.id, h.name, h.kind, h.content_hash,
       (SELECT COUNT(*) FROM hierarchy_levels AS l WHERE l.hierarchy_id = h.id) AS levels,
       (SELECT COUNT(DISTINCT v.leaf_no) FROM hierarchy_values AS v WHERE v.hierarchy_id = h.id) AS leaves,
       h.added_at, h.removed_at
FROM hierarchies AS h
WHERE h.removed_at IS NULL
ORDER BY h.name
