-- The numbers of rows and persons of the dataset, and of rows without a person. One row.
SELECT
  COALESCE(SUM(persons.n), 0) AS n,
  COUNT(persons.key) AS persons,
  COALESCE(SUM(CASE WHEN persons.key IS NULL THEN persons.n ELSE 0 END), 0) AS without_person
FROM persons
