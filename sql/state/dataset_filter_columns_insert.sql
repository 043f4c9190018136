-- Notes the columns that requests may filter a dataset by, in their order.
-- $dataset_id = 1
-- $position = [0, 1]
-- $column_name = ['joined', 'plan']
-- after: source_insert, dataset_insert
INSERT INTO dataset_filter_columns (dataset_id, position, column_name)
VALUES ($dataset_id, $position, $column_name)
