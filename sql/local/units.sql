-- The number of rows, and of persons where persons are distinguished, in the dataset or in the rest of it. One row.
SELECT COALESCE(SUM(counted.n), 0) AS n, COUNT(DISTINCT counted.person) AS persons FROM local_counted AS counted
