-- Persons with the texts that they are hashed by: of a number without the zeros that end it, which are more or fewer as
-- the digits of its column are; and as they are written with those, by which lists of before are hashed. One row is one
-- person.
SELECT
  *,
  CASE
    WHEN STARTS_WITH(TYPEOF(persons.key), 'DECIMAL') OR TYPEOF(persons.key) IN ('DOUBLE', 'FLOAT')
    THEN REGEXP_REPLACE(CAST(persons.key AS TEXT), '\.0+$|(\.[0-9]*[1-9])0+$', '\1')
    ELSE CAST(persons.key AS TEXT)
  END AS text,
  CAST(persons.key AS TEXT) AS written
FROM persons
