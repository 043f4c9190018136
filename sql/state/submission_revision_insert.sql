-- Adds a revision of a submitted request.
-- $submission_id = 1
-- $revision = 1
-- $request = 'dataset: members'
-- $request_hash = 'e0e0'
-- $meaning_hash = 'e1e1'
-- $prediction = 'it will probably pass'
-- $chance = 0.75
-- $made_by = 'ann'
-- $made_at = TIMESTAMP '2025-01-31 12:00:00'
-- $reason = NULL
INSERT INTO submission_revisions (submission_id, revision, request, request_hash, meaning_hash, prediction, chance,
                                  made_by, made_at, reason)
VALUES ($submission_id, $revision, $request, $request_hash, $meaning_hash, $prediction, $chance, $made_by,
        $made_at, $reason)
