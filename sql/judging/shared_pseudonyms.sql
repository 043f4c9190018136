-- How many pseudonyms stand for several customers? One row.
SELECT COUNT_IF(truth.customers > 1) AS shared FROM truth
