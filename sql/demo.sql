-- Tables of the demos.

-- name: attach
-- Makes the database file of the demo, or opens it to write.
ATTACH ':memory:' AS demo;

-- name: create_members
-- Puts the members of the demo into their database. One row is one made-up person.
-- after: attach
CREATE TABLE demo.main.members AS SELECT * FROM dataset;

-- name: create_persons
-- Puts the persons of the demo `recommend` into their database. One row is one made-up person.
-- after: attach
CREATE TABLE demo.main.persons AS SELECT * FROM dataset;

-- name: create_purchases
-- Puts the purchases of the demo `purchases` into their database. One row is one purchase of a made-up customer.
-- after: attach
CREATE TABLE demo.main.purchases AS SELECT * FROM dataset;

-- name: detach
-- Closes the database file of the demo: everything is on disk then.
-- after: attach
DETACH demo;

-- name: first_rows
-- The first rows of a written release. One row is one row of the release.
SELECT released.* FROM released LIMIT 5;

-- name: members
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
) AS person;

-- name: persons
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
) AS hashed;

-- name: purchases
-- The purchases of the demo `purchases`: one row is one item that a made-up customer bought on one day. Every value
-- comes from a hash of the customer's number, the purchase's and the seed, so the same seed gives the same purchases
-- whatever the number of threads; nobody is described. Customers differ in how much they buy (a few much, most little:
-- the logarithm is spread about 26 by a sum of even numbers), on how many days, in which kinds of goods and designs
-- they like, and in whether they buy by the dozen. The goods differ by season, and purchases grow towards winter. A
-- list names each kind or design as often as its share says (see `goods.csv` and `designs.csv` of the demo).
-- $customers = 100
-- $seed = 1
-- $kinds = [0, 0, 1, 2]
-- $spring = [1]
-- $summer = [1, 2]
-- $autumn = [2]
-- $winter = [2]
-- $designs = [0, 0, 1]
-- $kind_names = ['mug', 'egg cup', 'hot water bottle']
-- $design_names = ['red spots', 'paisley']
-- $prices = [2.95, 1.25, 4.95]
SELECT
  'C' || LPAD(CAST(priced.customer AS VARCHAR), 7, '0') AS customer,
  priced.day,
  CAST(10001 + priced.kind * 100 + priced.design AS INTEGER) AS item,
  UPPER(LIST_EXTRACT($design_names, priced.design + 1) || ' ' || LIST_EXTRACT($kind_names, priced.kind + 1)) AS description,
  -- A buyer of a dozen pays less for each, and a shop has had two price lists in the year.
  CAST(
    LIST_EXTRACT($prices, priced.kind + 1)
      * CASE WHEN priced.quantity >= 12 THEN 0.85 ELSE 1.0 END
      * CASE WHEN priced.day >= DATE '2011-07-01' THEN 1.06 ELSE 1.0 END
    AS DECIMAL(8, 2)
  ) AS price,
  CAST(priced.quantity AS INTEGER) AS quantity
FROM (
  SELECT
    chosen.customer,
    chosen.purchase,
    chosen.day,
    chosen.kind,
    CASE
      WHEN chosen.h4 % 100 < 70 THEN LIST_EXTRACT($designs, (chosen.liked_design + chosen.h5 % 2) % LEN($designs) + 1)
      ELSE LIST_EXTRACT($designs, chosen.h6 % LEN($designs) + 1)
    END AS design,
    CASE
      WHEN chosen.dealer THEN LIST_EXTRACT([6, 12, 12, 12, 24, 24, 36, 48], chosen.h7 % 8 + 1)
      ELSE LIST_EXTRACT([1, 1, 1, 2, 2, 3, 4, 6, 6, 12], chosen.h7 % 10 + 1)
    END AS quantity
  FROM (
    SELECT
      dated.*,
      CASE
        WHEN dated.h0 % 100 < 45
          THEN LIST_EXTRACT($kinds, (dated.liked_kind + dated.h1 % 3 * 31) % LEN($kinds) + 1)
        WHEN dated.h0 % 100 < 70 AND MONTH(dated.day) IN (3, 4, 5)
          THEN LIST_EXTRACT($spring, dated.h2 % LEN($spring) + 1)
        WHEN dated.h0 % 100 < 60 AND MONTH(dated.day) IN (6, 7, 8)
          THEN LIST_EXTRACT($summer, dated.h2 % LEN($summer) + 1)
        WHEN dated.h0 % 100 < 60 AND MONTH(dated.day) IN (9, 10)
          THEN LIST_EXTRACT($autumn, dated.h2 % LEN($autumn) + 1)
        WHEN dated.h0 % 100 < 80 AND MONTH(dated.day) IN (11, 12)
          THEN LIST_EXTRACT($winter, dated.h2 % LEN($winter) + 1)
        ELSE LIST_EXTRACT($kinds, dated.h3 % LEN($kinds) + 1)
      END AS kind
    FROM (
      SELECT
        hashed.*,
        -- Three visits of ten are in the last quarter whatever the customer's habit.
        DATE '2011-01-01' + CAST(
          CASE WHEN hashed.v0 % 10 < 3 THEN 273 + hashed.v1 % 75 ELSE hashed.v1 % 345 END AS INTEGER
        ) AS day
      FROM (
        SELECT
          bought.customer,
          bought.purchase,
          bought.liked_kind,
          bought.liked_design,
          bought.dealer,
          -- A visit is one of the customer's: all that is bought on it is bought on one day.
          CAST(HASH(HASH(bought.customer, bought.visit, $seed, 10)) >> 16 AS BIGINT) AS v0,
          CAST(HASH(HASH(bought.customer, bought.visit, $seed, 11)) >> 16 AS BIGINT) AS v1,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 0)) >> 16 AS BIGINT) AS h0,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 1)) >> 16 AS BIGINT) AS h1,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 2)) >> 16 AS BIGINT) AS h2,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 3)) >> 16 AS BIGINT) AS h3,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 4)) >> 16 AS BIGINT) AS h4,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 5)) >> 16 AS BIGINT) AS h5,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 6)) >> 16 AS BIGINT) AS h6,
          CAST(HASH(HASH(bought.customer, bought.purchase, $seed, 7)) >> 16 AS BIGINT) AS h7
        FROM (
          SELECT
            person.customer,
            person.liked_kind,
            person.liked_design,
            person.dealer,
            person.purchase,
            CAST(HASH(HASH(person.customer, person.purchase, $seed, 8)) >> 16 AS BIGINT)
              % GREATEST(1, person.purchases // person.basket) AS visit
          FROM (
            SELECT
              sized.customer,
              sized.liked_kind,
              sized.liked_design,
              sized.dealer,
              sized.basket,
              sized.purchases,
              UNNEST(RANGE(1, sized.purchases + 1)) AS purchase
            FROM (
              SELECT
                drawn.customer,
                drawn.c4 % 1000 AS liked_kind,
                drawn.c5 % 1000 AS liked_design,
                drawn.c6 % 100 < 12 AS dealer,
                2 + drawn.c7 % 14 AS basket,
                CAST(
                  ROUND(26 * EXP(1.75 * (drawn.c0 % 1000 + drawn.c1 % 1000 + drawn.c2 % 1000 + drawn.c3 % 1000 - 1998) / 1000))
                  AS BIGINT
                ) AS purchases
              FROM (
                SELECT
                  counted.i AS customer,
                  CAST(HASH(HASH(counted.i, $seed, 20)) >> 16 AS BIGINT) AS c0,
                  CAST(HASH(HASH(counted.i, $seed, 21)) >> 16 AS BIGINT) AS c1,
                  CAST(HASH(HASH(counted.i, $seed, 22)) >> 16 AS BIGINT) AS c2,
                  CAST(HASH(HASH(counted.i, $seed, 23)) >> 16 AS BIGINT) AS c3,
                  CAST(HASH(HASH(counted.i, $seed, 24)) >> 16 AS BIGINT) AS c4,
                  CAST(HASH(HASH(counted.i, $seed, 25)) >> 16 AS BIGINT) AS c5,
                  CAST(HASH(HASH(counted.i, $seed, 26)) >> 16 AS BIGINT) AS c6,
                  CAST(HASH(HASH(counted.i, $seed, 27)) >> 16 AS BIGINT) AS c7
                FROM RANGE(1, $customers + 1) AS counted(i)
              ) AS drawn
            ) AS sized
          ) AS person
        ) AS bought
      ) AS hashed
    ) AS dated
  ) AS chosen
) AS priced
ORDER BY priced.day, priced.customer, priced.purchase;
