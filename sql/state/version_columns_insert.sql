-- Notes the columns of a dataset version; the lists run in parallel, one place a column in order.
-- $dataset_version_id = 7
-- $position = [0]
-- $column_name = ['age']
-- $column_type = ['BIGINT']
-- $evaluated_over = 'd0d0'
-- after: version_insert
INSERT INTO dataset_version_columns (dataset_version_id, position, column_name, column_type, evaluated_over)
VALUES ($dataset_version_id, $position, $column_name, $column_type, $evaluated_over)
