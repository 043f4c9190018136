-- Notes other terms of a dataset: its least k, and the word for what requests may filter it by.
-- $id = 1
-- $least_k = 10
-- $filters = 'none'
-- after: dataset_insert
UPDATE datasets SET least_k = $least_k, filters = $filters WHERE id = $id
