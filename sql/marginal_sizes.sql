-- The histogram of the frequencies of one attribute's values. One row is a number of rows: the number of values that
-- have that many.
SELECT marginal.n AS size, COUNT(*) AS classes
FROM marginal
GROUP BY marginal.n
ORDER BY marginal.n
