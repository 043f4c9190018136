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
) AS customer
