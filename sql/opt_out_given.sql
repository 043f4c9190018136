-- Values of persons as the type of the entity column has them. One row is one value as given, and in that type: NULL
-- where it is none of it.
-- $persons = ['1', '2']
SELECT given.person AS given, TRY_CAST(given.person AS TEXT) AS key
FROM (SELECT UNNEST($persons) AS person) AS given
