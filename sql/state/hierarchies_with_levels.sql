-- The hierarchies, in use or not, with the given levels. One row: a level's hash and the hierarchy registered last that
-- has it.
-- $level_hashes = ['hash of the level of regions']
SELECT content_hash, hierarchy_id, kind
FROM (
    SELECT l.content_hash, l.hierarchy_id, h.kind,
           ROW_NUMBER() OVER (PARTITION BY l.content_hash ORDER BY l.hierarchy_id DESC) AS place
    FROM hierarchy_levels AS l
    JOIN hierarchies AS h ON h.id = l.hierarchy_id
    WHERE l.content_hash IN (SELECT value FROM json_each($level_hashes))
)
WHERE place = 1
ORDER BY hierarchy_id
