-- The salt of a dataset. One row at most.
-- $dataset_name = 'members'
SELECT salt FROM opt_out_salts WHERE dataset_name = $dataset_name
