-- Adds a submitted request. One row: its number.
-- $id = 1
-- $title = 'Members by sex and age'
-- $dataset_name = 'members'
-- $submitted_by = 'ann'
-- $status = 'submitted'
-- $revision = 1
-- $submitted_at = TIMESTAMP '2025-01-31 12:00:00'
-- $moved_at = TIMESTAMP '2025-01-31 12:00:00'
-- $expires_at = NULL
-- $supersedes = NULL
INSERT INTO submissions (id, title, dataset_name, submitted_by, status, revision, submitted_at, moved_at, expires_at,
                         supersedes)
VALUES ($id, $title, $dataset_name, $submitted_by, $status, $revision, $submitted_at, $moved_at, $expires_at,
        $supersedes)
RETURNING id
