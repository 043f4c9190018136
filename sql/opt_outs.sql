-- Persons who opted out.

-- name: unmatched
-- Texts of persons that no person of a dataset has. One row: their number.
-- $texts = ['1', '2']
SELECT COUNT(*) AS unmatched
FROM (SELECT UNNEST($texts) AS person) AS given
LEFT JOIN persons ON persons.text = given.person
WHERE persons.key IS NULL;

-- name: given
-- Values of persons as the type of the entity column has them. One row is one value as given, and in that type: NULL
-- where it is none of it.
-- $persons = ['1', '2']
SELECT given.person AS given, TRY_CAST(given.person AS TEXT) AS key
FROM (SELECT UNNEST($persons) AS person) AS given;

-- name: keys
-- The persons who opted out, by the salted hashes of their texts, or in a list of before as they were written then. One
-- row is one person, or one of the two texts of a person.
-- $salt = '00ff'
-- $hashes = ['b4ef6d90c1d4bd7b0e3a5d6b6f3a5f3b4b1d9d4c1f0a2b3c4d5e6f708192a3b4']
SELECT found.key
FROM (
  SELECT persons.key, persons.text FROM persons
  UNION ALL
  SELECT persons.key, persons.written AS text FROM persons WHERE persons.text <> persons.written
) AS found
JOIN (SELECT UNNEST($hashes) AS hash) AS listed ON listed.hash = SHA256(CONCAT($salt, found.text))
WHERE found.key IS NOT NULL;

-- name: opted_out
-- The rows of a dataset whose persons have not opted out. One row is one row of the dataset.
SELECT dataset.id FROM dataset LEFT JOIN persons AS opted_out ON dataset.id = opted_out.key WHERE opted_out.key IS NULL;

-- name: persons
-- The persons of a dataset. One row is one person, NULL among them.
SELECT DISTINCT dataset.id AS key FROM dataset;

-- name: texts
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
FROM persons;
