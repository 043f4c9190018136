-- The rows of each class. One row is one class.
SELECT numbered.class, CAST(SUM(numbered.n) AS BIGINT) AS size FROM numbered GROUP BY numbered.class
