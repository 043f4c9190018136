-- The customers of the purchases. One row is one customer, by number: those with the most purchases first, of these the
-- one who came first, then by the customer's own key. `start` is the first purchase of the customer.
SELECT
  counted.key,
  CAST(ROW_NUMBER() OVER (ORDER BY counted.n DESC, counted.first_day, counted.key) - 1 AS INTEGER) AS number,
  counted.n,
  CAST(
    SUM(counted.n) OVER (
      ORDER BY counted.n DESC, counted.first_day, counted.key ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) - counted.n AS BIGINT
  ) AS start
FROM (
  SELECT microdata.customer AS key, COUNT(*) AS n, MIN(microdata.u1) AS first_day
  FROM microdata
  GROUP BY microdata.customer
) AS counted
