-- The persons of the demo `recommend`: one row is one made-up person. Every value comes from a hash of the row's number
-- and the seed, so the same seed gives the same persons whatever the number of threads; nobody is described. They are
-- spread evenly over the values that the TF-IDF paper names (Arai, Kono and Babaguchi 2015, 4.1): two sexes, the 18,263
-- days from 1944-01-29 to 1994-01-28, the listed occupations, and heights from 140 to 190 cm. Each hash is hashed
-- again: hashes of lists that differ in the last place alone have bits in common, and sex would give half of the
-- occupations away.
-- $rows = 1000
-- $seed = 1
-- $occupations = ['教員', '会計事務従事者', '運搬従事者']
SELECT
  'P' || LPAD(CAST(hashed.i AS VARCHAR), 8, '0') AS person_id,
  CASE WHEN hashed.h0 % 2 = 0 THEN 'female' ELSE 'male' END AS sex,
  DATE '1944-01-29' + CAST(hashed.h1 % 18263 AS INTEGER) AS birth,
  LIST_EXTRACT($occupations, hashed.h2 % LEN($occupations) + 1) AS occupation,
  CAST(140 + hashed.h3 % 51 AS UTINYINT) AS height
FROM (
  SELECT
    counted.i,
    CAST(HASH(HASH(counted.i, $seed, 0)) >> 16 AS BIGINT) AS h0,
    CAST(HASH(HASH(counted.i, $seed, 1)) >> 16 AS BIGINT) AS h1,
    CAST(HASH(HASH(counted.i, $seed, 2)) >> 16 AS BIGINT) AS h2,
    CAST(HASH(HASH(counted.i, $seed, 3)) >> 16 AS BIGINT) AS h3
  FROM RANGE(1, $rows + 1) AS counted(i)
) AS hashed
