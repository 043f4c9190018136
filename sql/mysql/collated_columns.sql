-- The columns of a table or view of a MariaDB or MySQL database by the kind of their values: `text`, where they may differ and
-- be equal (upper and lower case, and most collations of bytes leave out spaces at the end), `exact` texts, `bytes`, and
-- `plain` numbers, days and moments. One row a column; an enumeration has each text once.
SELECT columns.column_name AS `column`,
  CASE
    WHEN columns.data_type IN ('enum', 'set') THEN 'plain'
    WHEN columns.collation_name IS NULL AND columns.data_type IN (
      'tinyint', 'smallint', 'mediumint', 'int', 'bigint', 'decimal', 'float', 'double', 'date', 'time', 'datetime',
      'timestamp', 'year', 'uuid', 'inet4', 'inet6'
    ) THEN 'plain'
    WHEN columns.collation_name IS NULL OR columns.collation_name = 'binary' THEN 'bytes'
    WHEN columns.collation_name LIKE '%nopad_bin' OR columns.collation_name LIKE '%0900_bin' THEN 'exact'
    ELSE 'text'
  END AS kind
FROM information_schema.columns AS columns
WHERE columns.table_schema = $schema AND columns.table_name = $table
  AND BINARY columns.table_name = BINARY $table
