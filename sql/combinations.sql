-- The frequency set of persons with the persons added up. One row is one combination of cells: n persons have it, a
-- person counted once for each combination that is theirs; `rows` rows have it.
SELECT frequency_set.qi, COUNT(*) AS n, CAST(SUM(frequency_set.n) AS BIGINT) AS rows
FROM frequency_set
GROUP BY frequency_set.qi
