-- Takes away the columns that requests may filter a dataset by.
-- $dataset_id = 1
DELETE FROM dataset_filter_columns WHERE dataset_id = $dataset_id
