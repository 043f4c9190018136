-- The levels of some hierarchies. One row: a level of a hierarchy, finest first.
-- $hierarchy_ids = [1, 2]
SELECT hierarchy_id, level, name, content_hash, origin, width, part, keep, mask, length,
       below, above, bounds
FROM hierarchy_levels
WHERE hierarchy_id IN (SELECT value FROM json_each($hierarchy_ids))
ORDER BY hierarchy_id, level
