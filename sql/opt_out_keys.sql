-- The persons who opted out, by the salted hashes of their texts. One row is one person.
-- $salt = '00ff'
-- $hashes = ['b4ef6d90c1d4bd7b0e3a5d6b6f3a5f3b4b1d9d4c1f0a2b3c4d5e6f708192a3b4']
SELECT persons.key
FROM persons
JOIN (SELECT UNNEST($hashes) AS hash) AS listed ON listed.hash = SHA256(CONCAT($salt, persons.text))
WHERE persons.key IS NOT NULL
