-- The persons of each class with each value of one sensitive column. One row is one value in one class. A person who
-- has several values counts for each.
SELECT one.class, one.value, COUNT(*) AS n
FROM (SELECT DISTINCT numbered.class, numbered.value, numbered.person FROM numbered) AS one
GROUP BY one.class, one.value
