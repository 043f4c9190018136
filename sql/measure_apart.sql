-- A release without its star rows, which have * in every column. One row is one row of the release.
SELECT * FROM released WHERE released.value IS DISTINCT FROM '*'
