-- How many values of one attribute occur how often? One row is a number of rows: how many values have that many.
SELECT marginal.n AS size, COUNT(*) AS classes
FROM marginal
GROUP BY marginal.n
ORDER BY marginal.n
