-- The records of loaded CSV files that refute what a sample showed of their columns. One row: of each kind of them,
-- their number.
SELECT COALESCE(SUM(dataset.id), 0) AS records FROM dataset
