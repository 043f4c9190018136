-- How many histories does a release have, how many customers share one, at least and at most, and how many customers are
-- there, in the original and in the release? One row.
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
