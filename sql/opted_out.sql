-- The rows of a dataset whose persons have not opted out. One row is one row of the dataset.
SELECT dataset.id FROM dataset LEFT JOIN persons AS opted_out ON dataset.id = opted_out.key WHERE opted_out.key IS NULL
