-- The columns of a table or view of a MariaDB or MySQL database whose texts may differ and be equal: upper and lower case, and
-- most collations of bytes leave out spaces at the end. One row a column; an enumeration has each text once.
SELECT columns.column_name AS `column`
FROM information_schema.columns AS columns
WHERE columns.table_schema = $schema AND columns.table_name = $table
  AND BINARY columns.table_name = BINARY $table
  AND columns.data_type NOT IN ('enum', 'set')
  AND columns.collation_name IS NOT NULL
  AND columns.collation_name NOT LIKE '%nopad_bin'
  AND columns.collation_name NOT LIKE '%0900_bin'
  AND columns.collation_name <> 'binary'
