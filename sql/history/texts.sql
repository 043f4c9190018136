-- The text of a whole number of units: the number itself, its date, or its decimals. One row is one slot.
SELECT
  CAST(slots.low AS VARCHAR) AS whole,
  CAST(CAST('1970-01-01' AS DATE) + slots.low AS VARCHAR) AS day,
  CAST(CAST(slots.low AS DECIMAL(19, 0)) * CAST(0.05 AS DECIMAL(18, 2)) AS VARCHAR) AS decimals
FROM history_slots AS slots
