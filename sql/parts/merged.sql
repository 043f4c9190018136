-- The combinations of several parts, their rows added up. One row is one combination. A part that is taken off has
-- negative counts, so that a combination which it alone had is left out.
SELECT dataset.qi AS qi, CAST(SUM(dataset.n) AS BIGINT) AS n
FROM dataset
GROUP BY dataset.qi
HAVING SUM(dataset.n) <> 0
