-- The columns of a release. One row: a column, in order.
-- $release_id = 1
SELECT column_name, role, level, level_name, loss_share FROM release_columns WHERE release_id = $release_id ORDER BY position
