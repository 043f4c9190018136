-- The levels of a hierarchy. One row: a level, finest first.
-- $hierarchy_id = 1
SELECT level, name, content_hash, origin, width, part, keep, mask, length
FROM hierarchy_levels
WHERE hierarchy_id = $hierarchy_id
ORDER BY level
