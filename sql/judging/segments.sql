-- The fifth of each customer by recency, frequency and monetary value. Equal figures are in one fifth. One row is one
-- customer.
SELECT
  customer_figures.customer,
  FLOOR(5 * (RANK() OVER (ORDER BY customer_figures.recency NULLS FIRST) - 1) / COUNT(*) OVER ()) AS recency,
  FLOOR(5 * (RANK() OVER (ORDER BY customer_figures.frequency) - 1) / COUNT(*) OVER ()) AS frequency,
  FLOOR(5 * (RANK() OVER (ORDER BY customer_figures.monetary NULLS FIRST) - 1) / COUNT(*) OVER ()) AS monetary
FROM customer_figures
