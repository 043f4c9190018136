-- Erases why the data refused a revision of a submitted request: that they did still counts.
-- $submission_id = 1
-- $revision = 1
UPDATE data_refusals SET reason = '' WHERE submission_id = $submission_id AND revision = $revision
