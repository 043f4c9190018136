-- The earlier combinations of the same person that share a class with a combination, attribute by attribute and level
-- by level. One row is one combination that is not the first of its person, packed; one bit is one earlier combination.
-- Where the bits of all attributes of a node have one in common, the person is in that class already. The difference of
-- two combinations is zero in the bits of every class that they share.
SELECT later.word, CASE WHEN later.apart & 7 = 0 THEN 1 ELSE 0 END AS repeated
FROM (
  SELECT
    worded.word,
    ROW_NUMBER() OVER person AS place,
    XOR(worded.word, LAG(worded.word, 1) OVER person) AS apart
  FROM worded
  WHERE worded.combinations <= 16
  WINDOW person AS (PARTITION BY worded.person ORDER BY worded.word)
) AS later
WHERE later.place > 1
