-- Values of persons as texts of the type of the entity column. One row is one value, NULL where it is none of that type.
-- $persons = ['1', '2']
SELECT CAST(TRY_CAST(given.person AS TEXT) AS TEXT) AS person FROM (SELECT UNNEST($persons) AS person) AS given
