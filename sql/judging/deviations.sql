-- The standard deviations of the columns of an original, in units. One row.
SELECT STDDEV_POP(original_records.u1) AS sd_1 FROM original_records
