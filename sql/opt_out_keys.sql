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
WHERE found.key IS NOT NULL
