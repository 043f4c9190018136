-- Notes that releases no longer stand under their name.
-- $release_id = [1]
-- $how = 'superseded'
-- $superseded_by = 1
-- $ended_at = TIMESTAMP '2025-01-31 12:05:00'
-- after: release_insert
INSERT INTO release_ends (release_id, how, superseded_by, ended_at)
VALUES ($release_id, $how, $superseded_by, $ended_at)
