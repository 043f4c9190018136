-- Persons with the texts that they are hashed by: of a number without the zeros that end it, which are more or fewer as
-- the digits of its column are. One row is one person.
SELECT
  *,
  CASE
    WHEN STARTS_WITH(TYPEOF(persons.key), 'DECIMAL') OR TYPEOF(persons.key) IN ('DOUBLE', 'FLOAT')
    THEN REGEXP_REPLACE(CAST(persons.key AS TEXT), '\.0+$|(\.[0-9]*[1-9])0+$', '\1')
    ELSE CAST(persons.key AS TEXT)
  END AS text
FROM persons
