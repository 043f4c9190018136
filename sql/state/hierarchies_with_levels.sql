-- The hierarchies, in use or not, with the given levels. One row: a level's hash and the hierarchy registered last that
-- has it.
-- $level_hashes = ['hash of the level of regions']
SELECT l.content_hash, MAX(l.hierarchy_id) AS hierarchy_id, ARG_MAX(h.kind, l.hierarchy_id) AS kind
FROM hierarchy_levels AS l
JOIN hierarchies AS h ON h.id = l.hierarchy_id
WHERE l.content_hash IN (SELECT UNNEST($level_hashes))
GROUP BY l.content_hash
ORDER BY hierarchy_id
