-- What released histories are good for.

-- name: losses
-- The loss of the original's rows that were released, cell by cell: 1 where it is deleted; else, where an item was
-- released as one of n, 1 - 1/n; of an interval [a, b], with the truth x, all in units, ((a-x)^2 + (b-x)^2 + (b-a)) / (2
-- (b-a+1) sd). Also how many cells are deleted, and how many do not contain the truth. The columns of days and numbers
-- are there once for each. One row.
-- $sd_1 = 2.5
SELECT
  COUNT(*) AS released,
  COUNT_IF(pair.written) AS written,
  SUM(CASE WHEN pair.size IS NULL THEN 1 ELSE 1 - 1.0 / pair.size END) AS lost_item,
  SUM(CASE WHEN pair.goods IS NULL THEN 1 ELSE 1 - 1.0 / pair.goods END) AS lost_goods,
  COUNT_IF(pair.size IS NULL) AS deleted_item,
  COUNT_IF(pair.size IS NOT NULL AND pair.found IS NULL) AS untrue_item,
  SUM(
    CASE
      WHEN pair.low_1 IS NULL THEN 1
      WHEN $sd_1 = 0 THEN 0
      ELSE (POWER(pair.low_1 - pair.u1, 2) + POWER(pair.high_1 - pair.u1, 2) + (pair.high_1 - pair.low_1))
        / (2 * (pair.high_1 - pair.low_1 + 1) * $sd_1)
    END
  ) AS lost_1,
  COUNT_IF(pair.low_1 IS NULL) AS deleted_1,
  COUNT_IF(pair.u1 < pair.low_1 OR pair.u1 > pair.high_1) AS untrue_1
FROM (
  SELECT
    set_sizes.size,
    set_sizes.goods,
    released_sets.element AS found,
    NOT (released_records.item_set IS NULL AND released_records.low_1 IS NULL) AS written,
    original_records.u1,
    released_records.low_1,
    released_records.high_1
  FROM kept
  JOIN original_records ON kept.record = original_records.record
  JOIN released_records ON kept.line = released_records.line
  LEFT JOIN set_sizes ON released_records.item_set = set_sizes.item_set
  LEFT JOIN released_sets
    ON released_records.item_set = released_sets.item_set AND original_records.element = released_sets.element
) AS pair;

-- name: sales_before
-- The sales of each month of the original, in units of price times quantity, and its first and last day. One row is one
-- month.
SELECT
  STRFTIME(sale.day, '%Y-%m') AS month,
  CAST(DATE_DIFF('day', DATE '1970-01-01', DATE_TRUNC('month', MIN(sale.day))) AS DOUBLE) AS first,
  CAST(DATE_DIFF('day', DATE '1970-01-01', LAST_DAY(MIN(sale.day))) AS DOUBLE) AS last,
  SUM(sale.sold) AS sold
FROM (
  SELECT
    DATE '1970-01-01' + CAST(original_records.u1 AS INTEGER) AS day,
    CAST(original_records.price AS DOUBLE) * original_records.quantity AS sold
  FROM original_records
) AS sale
GROUP BY month;

-- name: sales_after
-- The sales of each month in a release. A cell counts by the middle of its interval, a purchase on each of its days
-- alike; a purchase without day, price or quantity is missing. One row is one month of the original.
SELECT
  sales_before.month,
  sales_before.sold AS before,
  COALESCE(
    SUM(
      span.sold
      * (LEAST(span.last, sales_before.last) - GREATEST(span.first, sales_before.first) + 1)
      / (span.last - span.first + 1)
    ),
    0
  ) AS after
FROM sales_before
LEFT JOIN (
  SELECT
    released_records.low_1 AS first,
    released_records.high_1 AS last,
    SUM(
      (released_records.low_price + released_records.high_price)
      * (released_records.low_quantity + released_records.high_quantity) / 4
    ) AS sold
  FROM released_records
  WHERE released_records.low_1 IS NOT NULL
  GROUP BY released_records.low_1, released_records.high_1
) AS span ON span.first <= sales_before.last AND span.last >= sales_before.first
GROUP BY sales_before.month, sales_before.sold
ORDER BY sales_before.month;

-- name: sold_before
-- The pieces of each item sold in the original. One row is one item.
SELECT original_records.item, SUM(CAST(original_records.quantity AS DOUBLE)) AS sold
FROM original_records
GROUP BY original_records.item;

-- name: sold_after
-- The pieces of each item sold in a release. A purchase of a set counts for each good that is in it, or in a class of
-- it, alike. One row is one item.
SELECT goods.item, share.sold
FROM (
  SELECT released_sets.element, SUM(bought.sold / released_sets.goods) AS sold
  FROM (
    SELECT
      released_records.item_set,
      SUM((released_records.low_quantity + released_records.high_quantity) / 2) AS sold
    FROM released_records
    WHERE released_records.low_quantity IS NOT NULL
    GROUP BY released_records.item_set
  ) AS bought
  JOIN released_sets ON bought.item_set = released_sets.item_set
  GROUP BY released_sets.element
) AS share
JOIN elements ON share.element = elements.element
JOIN goods ON elements.label = goods.class;

-- name: items_sold
-- The number of items that the original sells. One row.
SELECT COUNT(*) AS items FROM sold_before;

-- name: top_items
-- The number of items sold most that are still among as many items sold most. One row.
-- $most = 2
SELECT COUNT(*) AS items
FROM (
  SELECT sold_before.item, ROW_NUMBER() OVER (ORDER BY sold_before.sold DESC, sold_before.item) AS place
  FROM sold_before
) AS before
JOIN (
  SELECT sold_after.item, ROW_NUMBER() OVER (ORDER BY ROUND(sold_after.sold, 6) DESC, sold_after.item) AS place
  FROM sold_after
) AS after ON before.item = after.item
WHERE before.place <= $most AND after.place <= $most;

-- name: customers_after
-- The latest purchase, number of purchases and spending of each customer in a release. A cell counts by the middle of
-- its interval. One row is one pseudonym.
SELECT
  released_records.pseudonym AS customer,
  MAX((released_records.low_1 + released_records.high_1) / 2) AS recency,
  COUNT(*) AS frequency,
  SUM(
    (released_records.low_price + released_records.high_price)
    * (released_records.low_quantity + released_records.high_quantity) / 4
  ) AS monetary
FROM released_records
GROUP BY released_records.pseudonym;

-- name: customers_before
-- The latest purchase, number of purchases and spending of each customer. One row is one customer.
SELECT
  original_records.customer,
  CAST(MAX(original_records.u1) AS DOUBLE) AS recency,
  COUNT(*) AS frequency,
  SUM(CAST(original_records.price AS DOUBLE) * original_records.quantity) AS monetary
FROM original_records
GROUP BY original_records.customer;

-- name: segments
-- The fifth of each customer by recency, frequency and monetary value. Equal figures are in one fifth. One row is one
-- customer.
SELECT
  customer_figures.customer,
  FLOOR(5 * (RANK() OVER (ORDER BY customer_figures.recency NULLS FIRST) - 1) / COUNT(*) OVER ()) AS recency,
  FLOOR(5 * (RANK() OVER (ORDER BY customer_figures.frequency) - 1) / COUNT(*) OVER ()) AS frequency,
  FLOOR(5 * (RANK() OVER (ORDER BY customer_figures.monetary NULLS FIRST) - 1) / COUNT(*) OVER ()) AS monetary
FROM customer_figures;

-- name: same_segments
-- The number of customers in the same fifths as before. A customer who is not in the release is not. One row.
SELECT
  COUNT_IF(customer.recency) AS recency,
  COUNT_IF(customer.frequency) AS frequency,
  COUNT_IF(customer.monetary) AS monetary,
  COUNT_IF(customer.recency AND customer.frequency) AS recency_and_frequency,
  COUNT_IF(customer.recency AND customer.frequency AND customer.monetary) AS all_of_them
FROM (
  SELECT
    truth.customer,
    BOOL_AND(before.recency = after.recency) AS recency,
    BOOL_AND(before.frequency = after.frequency) AS frequency,
    BOOL_AND(before.monetary = after.monetary) AS monetary
  FROM truth
  JOIN segments_before AS before ON truth.customer = before.customer
  JOIN segments_after AS after ON truth.pseudonym = after.customer
  GROUP BY truth.customer
) AS customer;
