-- Notes the columns of a dataset as the provider was shown them.
-- $id = 1
-- $columns = '[["age", "BIGINT", true]]'
-- after: dataset_insert
UPDATE datasets SET columns = $columns WHERE id = $id
