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
ORDER BY sales_before.month
