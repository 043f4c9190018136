-- The row filters that requests of a dataset were asked with, but for those that were erased. One row: a filter.
-- $dataset_name = 'members'
SELECT DISTINCT filter FROM requests WHERE dataset_name = $dataset_name AND filter IS NOT NULL
