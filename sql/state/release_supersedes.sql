-- Notes that a release takes the place of those that stood under its name.
-- $id = 1
-- $ended_at = TIMESTAMP '2025-02-01 12:00:00'
INSERT INTO release_ends (release_id, how, superseded_by, ended_at)
SELECT r.id, 'superseded', n.id, $ended_at
FROM releases AS n
JOIN releases AS r ON r.path = n.path OR r.table_name = n.table_name
LEFT JOIN release_ends AS e ON e.release_id = r.id
WHERE n.id = $id AND r.id <> n.id AND e.release_id IS NULL AND r.id NOT IN (SELECT release_id FROM erased_releases)
