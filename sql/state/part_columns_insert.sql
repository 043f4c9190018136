-- Notes the columns, by their hash, that the parts of a dataset are counted by.
-- $dataset_hash = 'd1d1'
-- $columns = 'c1c1'
INSERT INTO part_columns (dataset_hash, columns) VALUES ($dataset_hash, $columns) ON CONFLICT DO NOTHING
