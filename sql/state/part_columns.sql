-- The columns that the parts of a dataset were counted by under a row filter. One row: their hash.
-- $dataset_hash = 'd1d1'
-- after: part_columns_insert
SELECT columns FROM part_columns WHERE dataset_hash = $dataset_hash ORDER BY columns
