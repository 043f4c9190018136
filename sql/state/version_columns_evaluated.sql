-- Notes that the columns of a dataset version were evaluated without its row filter.
-- $dataset_version_id = 7
-- $evaluated_over = 'd0d0'
-- after: version_columns_insert
UPDATE dataset_version_columns
SET evaluated_over = $evaluated_over
WHERE dataset_version_id = $dataset_version_id AND evaluated_over IS NOT $evaluated_over
