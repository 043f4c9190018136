-- Rows of an original that are alike, counted through in `copy`: it is all the same which of them is which. The columns of
-- days and numbers are there once for each. One row is one row of the original.
SELECT
  original_records.record,
  original_records.customer,
  original_records.item,
  original_records.u1,
  ROW_NUMBER() OVER (
    PARTITION BY original_records.customer, original_records.item, original_records.u1
    ORDER BY original_records.record
  ) AS copy
FROM original_records
