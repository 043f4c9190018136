-- The rows of each class with each value of one sensitive column. One row is one value in one class.
SELECT numbered.class, numbered.value, CAST(SUM(numbered.n) AS BIGINT) AS n FROM numbered GROUP BY numbered.class, numbered.value
