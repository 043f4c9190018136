-- The histories of a release, the fewest and the most customers who share one, and the customers of the original and of
-- the release. One row: the five counts.
SELECT
  COUNT(*) AS histories,
  MIN(class.customers) AS k,
  MAX(class.customers) AS largest,
  (SELECT COUNT(*) FROM judged_customers) AS customers,
  (SELECT COUNT(DISTINCT truth.customer) FROM truth) AS named
FROM (
  SELECT COUNT(DISTINCT truth.customer) AS customers
  FROM released_histories
  JOIN truth ON released_histories.pseudonym = truth.pseudonym
  GROUP BY released_histories.history
) AS class
