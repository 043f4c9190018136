-- The persons of the whole table with each value of one sensitive column. One row is one value, by its number.
SELECT one.value, COUNT(*) AS n
FROM (SELECT DISTINCT numbered.value, numbered.person FROM numbered) AS one
GROUP BY one.value
