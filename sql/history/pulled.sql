-- The purchases: of the dataset the columns needed and no other, time stamps as their days. One row is one row of the
-- dataset.
SELECT dataset.id AS customer, CAST(dataset.bought AS DATE) AS u1, dataset.code AS item, dataset.measured AS measured
FROM dataset
