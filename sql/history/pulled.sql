-- The purchases: of the dataset the columns needed and no other, time stamps as their days. One row is one row of the
-- dataset. The source runs the subquery `pulled`, the workspace the rest.
SELECT pulled.customer, CAST(pulled.bought AS DATE) AS u1, pulled.item, pulled.measured AS measured
FROM (
  SELECT dataset.id AS customer, dataset.bought AS bought, dataset.code AS item, dataset.measured AS measured
  FROM dataset
) AS pulled
