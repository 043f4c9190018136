-- The members of the demo: one row is one made-up person. Every value comes from a hash of the row's number and the
-- seed, so the same seed gives the same members whatever the number of threads; nobody is described. A list of names
-- holds each one as often as its share says (see `shares.csv` of the demo).
-- $rows = 1000
-- $seed = 1
-- $prefectures = ['Tokyo', 'Tokyo', 'Osaka']
-- $young = ['student', 'sales']
-- $working = ['office work', 'sales', 'health care']
-- $senior = ['retired', 'retired', 'farming']
-- $plans = ['basic', 'basic', 'premium']
-- $family_starts = ['Ama', 'Kuro']
-- $family_ends = ['no', 'sawa']
-- $given_starts = ['Ha', 'Mi']
-- $given_ends = ['na', 'ro']
SELECT
  'M' || LPAD(CAST(person.i AS VARCHAR), 8, '0') AS member_id,
  LIST_EXTRACT($family_starts, person.h6 % LEN($family_starts) + 1)
    || LIST_EXTRACT($family_ends, person.h7 % LEN($family_ends) + 1)
    || ' '
    || LIST_EXTRACT($given_starts, person.h8 % LEN($given_starts) + 1)
    || LIST_EXTRACT($given_ends, person.h9 % LEN($given_ends) + 1) AS name,
  CASE WHEN person.h0 % 1000 < 513 THEN 'female' ELSE 'male' END AS sex,
  CAST(person.age AS UTINYINT) AS age,
  LIST_EXTRACT($prefectures, person.h1 % LEN($prefectures) + 1) AS prefecture,
  CASE
    WHEN person.age < 23 THEN LIST_EXTRACT($young, person.h2 % LEN($young) + 1)
    WHEN person.age < 65 THEN LIST_EXTRACT($working, person.h2 % LEN($working) + 1)
    ELSE LIST_EXTRACT($senior, person.h2 % LEN($senior) + 1)
  END AS occupation,
  LIST_EXTRACT($plans, person.h3 % LEN($plans) + 1) AS plan,
  DATE '2012-01-01' + CAST(GREATEST(person.h4 % 4383, person.h5 % 4383) AS INTEGER) AS joined
FROM (
  SELECT
    hashed.*,
    -- Most are thirty to fifty; three in ten are spread evenly from 18 to 79, so that no age is empty.
    CASE
      WHEN hashed.h10 % 10 < 3 THEN 18 + hashed.h11 % 62
      ELSE 18 + LEAST(hashed.h11 % 31, hashed.h12 % 31) + LEAST(hashed.h13 % 31, hashed.h14 % 31)
    END AS age
  FROM (
    SELECT
      counted.i,
      CAST(HASH(counted.i, $seed, 0) >> 16 AS BIGINT) AS h0,
      CAST(HASH(counted.i, $seed, 1) >> 16 AS BIGINT) AS h1,
      CAST(HASH(counted.i, $seed, 2) >> 16 AS BIGINT) AS h2,
      CAST(HASH(counted.i, $seed, 3) >> 16 AS BIGINT) AS h3,
      CAST(HASH(counted.i, $seed, 4) >> 16 AS BIGINT) AS h4,
      CAST(HASH(counted.i, $seed, 5) >> 16 AS BIGINT) AS h5,
      CAST(HASH(counted.i, $seed, 6) >> 16 AS BIGINT) AS h6,
      CAST(HASH(counted.i, $seed, 7) >> 16 AS BIGINT) AS h7,
      CAST(HASH(counted.i, $seed, 8) >> 16 AS BIGINT) AS h8,
      CAST(HASH(counted.i, $seed, 9) >> 16 AS BIGINT) AS h9,
      CAST(HASH(counted.i, $seed, 10) >> 16 AS BIGINT) AS h10,
      CAST(HASH(counted.i, $seed, 11) >> 16 AS BIGINT) AS h11,
      CAST(HASH(counted.i, $seed, 12) >> 16 AS BIGINT) AS h12,
      CAST(HASH(counted.i, $seed, 13) >> 16 AS BIGINT) AS h13,
      CAST(HASH(counted.i, $seed, 14) >> 16 AS BIGINT) AS h14
    FROM RANGE(1, $rows + 1) AS counted(i)
  ) AS hashed
) AS person
