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
GROUP BY released_records.pseudonym
