-- The types of the values that a column of a SQLite database stores, under any declared type. One row: whether it has
-- whole numbers, fractions, texts, other bytes, a whole number that no DOUBLE represents; whether all its values are 0
-- and 1; and whether all of them are written in one way, which `code` stands for. `id` is the column, too.
SELECT
  MAX(CASE WHEN TYPEOF(dataset.qi) = 'integer' THEN 1 ELSE 0 END) AS integers,
  MAX(CASE WHEN TYPEOF(dataset.qi) = 'real' THEN 1 ELSE 0 END) AS reals,
  MAX(CASE WHEN TYPEOF(dataset.qi) = 'text' THEN 1 ELSE 0 END) AS texts,
  MAX(CASE WHEN TYPEOF(dataset.qi) = 'blob' THEN 1 ELSE 0 END) AS blobs,
  MAX(CASE
    WHEN TYPEOF(dataset.qi) = 'integer' AND NOT dataset.id BETWEEN -9007199254740992 AND 9007199254740992 THEN 1
    ELSE 0
  END) AS large,
  MIN(CASE WHEN dataset.id IS NULL OR dataset.id IN (0, 1) THEN 1 ELSE 0 END) AS booleans,
  MIN(CASE WHEN dataset.qi IS NULL OR dataset.code = dataset.qi THEN 1 ELSE 0 END) AS written_in_one_way
FROM dataset
