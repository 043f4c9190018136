-- Would reading a column as numbers lose leading zeros? One row: how many values of the column start with one.
SELECT SUM(CASE WHEN dataset.qi LIKE '0_%' THEN 1 ELSE 0 END) AS zero_led FROM dataset
