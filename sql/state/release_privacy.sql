-- The privacy of a release beyond k, as it was measured. One row: a figure, in order.
-- $release_id = 1
-- after: release_privacy_insert
SELECT column_name, figure, value FROM release_privacy WHERE release_id = $release_id ORDER BY position
