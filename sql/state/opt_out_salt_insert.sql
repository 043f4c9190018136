-- Notes the salt of a dataset.
-- $dataset_name = 'members'
-- $salt = '00ff'
INSERT INTO opt_out_salts (dataset_name, salt) VALUES ($dataset_name, $salt)
