-- Erases the texts of a revision.
-- $submission_id = 1
-- $revision = 1
-- $request = ''
-- $prediction = ''
UPDATE submission_revisions
SET request = $request, prediction = $prediction
WHERE submission_id = $submission_id AND revision = $revision
