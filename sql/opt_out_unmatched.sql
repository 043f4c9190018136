-- Texts of persons that no person of a dataset has. One row: their number.
-- $texts = ['1', '2']
SELECT COUNT(*) AS unmatched
FROM (SELECT UNNEST($texts) AS person) AS given
LEFT JOIN persons ON persons.text = given.person
WHERE persons.key IS NULL
