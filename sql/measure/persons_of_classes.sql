-- The persons of each class. One row is one class. A person who is in several classes counts in each.
SELECT one.class, COUNT(*) AS size
FROM (SELECT DISTINCT numbered.class, numbered.person FROM numbered) AS one
GROUP BY one.class
