-- The number of pseudonyms that stand for several customers. One row.
SELECT COUNT_IF(truth.customers > 1) AS shared FROM truth
