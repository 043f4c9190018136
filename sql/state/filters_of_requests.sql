-- The row filters of the requests of a dataset, without those that were erased. One row is one filter.
-- $dataset_name = 'members'
SELECT DISTINCT filter FROM requests WHERE dataset_name = $dataset_name AND filter IS NOT NULL
