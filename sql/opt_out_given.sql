-- Values of persons as texts of the type of the entity column. One row is one value as given, and as that text: NULL
-- where it is none of that type.
-- $persons = ['1', '2']
SELECT given.person AS given, CAST(TRY_CAST(given.person AS TEXT) AS TEXT) AS person
FROM (SELECT UNNEST($persons) AS person) AS given
