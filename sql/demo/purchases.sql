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
ORDER BY priced.day, priced.customer, priced.purchase
