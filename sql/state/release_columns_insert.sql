-- Stores the columns of a release; the lists run in parallel, one place a column in order.
-- $release_id = 1
-- $position = [0]
-- $column_name = ['age']
-- $role = ['quasi-identifier']
-- $level = [1]
-- $level_name = ['decade']
-- $loss_share = [0.2]
-- after: release_insert
INSERT INTO release_columns (release_id, position, column_name, role, level, level_name, loss_share)
VALUES ($release_id, $position, $column_name, $role, $level, $level_name, $loss_share)
