-- MariaDB and MySQL as sources.

-- name: server
-- The database of the session and the server's version: one row.
SELECT DATABASE() AS `schema`, VERSION() AS version, CONNECTION_ID() AS session;

-- name: settings
-- Settings of a session: instants in UTC, the server's own way to write texts. `$wait`: seconds to wait for a lock;
-- `$collation`: by which texts of a statement are compared with each other, by their bytes. The session is idle while the
-- workspace calculates, and may be slow to take rows. The day that MariaDB gives a time of day is always the same.
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
SET SESSION time_zone = '+00:00', lc_time_names = 'en_US', default_week_format = 0, div_precision_increment = 4
/*M!100300 , timestamp = 86400 */;
SET SESSION lock_wait_timeout = $wait;
SET SESSION net_write_timeout = 700 /*M!100300 , idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0 */;
SET NAMES utf8mb4 COLLATE $collation;
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;

-- name: snapshot
-- Begins the read-only snapshot of a session that reads. Gives no row.
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY;

-- name: catalog
-- The tables and views of a MariaDB or MySQL database that the user has a right to, in order, without their columns: one row a
-- table. The catalogue's own collation takes names that differ by upper and lower case alone for one.
SELECT
  tables.table_schema AS `schema`,
  tables.table_name AS `table`,
  tables.table_type LIKE '%VIEW' AS is_view
FROM information_schema.tables AS tables
WHERE tables.table_schema NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')
  AND (DATABASE() IS NULL OR (tables.table_schema = DATABASE() AND BINARY tables.table_schema = BINARY DATABASE()))
ORDER BY tables.table_schema, tables.table_name;

-- name: columns
-- The columns of a table or view of a MariaDB or MySQL database, in order: one row a column; none of a view that cannot be
-- opened. Rows of an engine without transactions are read as they are, not as they were when the transaction began.
SELECT
  columns.column_name AS `column`,
  columns.data_type AS type,
  columns.column_type AS declared,
  columns.numeric_precision AS digits,
  columns.numeric_scale AS scale,
  columns.collation_name AS collation,
  COALESCE(engines.transactions, 'YES') = 'YES' AS has_snapshot,
  FIND_IN_SET('select', columns.privileges) > 0 AS may_read
FROM information_schema.columns AS columns
JOIN information_schema.tables AS tables
  ON tables.table_schema = $schema AND tables.table_name = $table
  AND BINARY tables.table_schema = BINARY columns.table_schema
  AND BINARY tables.table_name = BINARY columns.table_name
LEFT JOIN information_schema.engines AS engines ON engines.engine = tables.engine
WHERE columns.table_schema = $schema AND columns.table_name = $table
  AND BINARY columns.table_schema = BINARY $schema
  AND BINARY columns.table_name = BINARY $table
ORDER BY columns.ordinal_position;

-- name: hold
-- Keeps the definition of a table, {table}, its partitions among it, as it is until the transaction ends. No row is read.
SELECT 1 FROM {table} WHERE FALSE;

-- name: partitions
-- The partitions of a table, each with the parts that it has itself. One row is one partition.
SELECT partitions.partition_name AS name
FROM information_schema.PARTITIONS AS partitions
WHERE partitions.table_schema = $schema
  AND partitions.table_name = $table
  AND BINARY partitions.table_schema = BINARY $schema
  AND BINARY partitions.table_name = BINARY $table
  AND partitions.partition_name IS NOT NULL
GROUP BY partitions.partition_name
ORDER BY MIN(partitions.partition_ordinal_position);

-- name: checksum
-- A checksum of all rows of a table that has no snapshot, to see whether it is written to meanwhile: one row.
CHECKSUM TABLE {table} EXTENDED;

-- name: facts
-- The settings of a MariaDB or MySQL server for its user: version, time zone, encoding, collation,
-- whether it takes writes. One row.
SELECT
  VERSION() AS version,
  CURRENT_USER() AS `user`,
  IF(@@global.time_zone = 'SYSTEM', @@system_time_zone, @@global.time_zone) AS time_zone,
  @@character_set_database AS encoding,
  @@collation_database AS collation,
  @@global.read_only AS is_read_only;

-- name: tls
-- The cipher of the session's TLS, empty where there is none: one row.
SHOW SESSION STATUS LIKE 'Ssl_cipher';

-- name: grants
-- The rights of the user: one row a grant.
SHOW GRANTS;

-- name: rights
-- Every table and view of the database of the session, or of all where it has none, in order, with the columns that the user
-- may read, the server's estimate of its rows, and whether its rows have a snapshot: one row a table.
SELECT
  tables.table_schema AS `schema`,
  tables.table_name AS `table`,
  COUNT(*) AS columns,
  SUM(FIND_IN_SET('select', columns.privileges) > 0) AS readable,
  SUM(columns.privileges REGEXP 'insert|update') > 0 AS may_write,
  MAX(tables.table_rows) AS estimate,
  MIN(COALESCE(engines.transactions, 'YES') = 'YES') AS has_snapshot
FROM information_schema.tables AS tables
JOIN information_schema.columns AS columns
  ON columns.table_schema = tables.table_schema AND columns.table_name = tables.table_name
LEFT JOIN information_schema.engines AS engines ON engines.engine = tables.engine
WHERE tables.table_schema NOT IN ('information_schema', 'performance_schema', 'mysql', 'sys')
  AND (DATABASE() IS NULL OR tables.table_schema = DATABASE())
GROUP BY tables.table_schema, tables.table_name
ORDER BY tables.table_schema, tables.table_name;

-- name: listed
-- The rows of a table of the workspace, each once, from one bound JSON text of lists: `c0` stands for each of its columns.
-- MariaDB looks the rows of a DISTINCT list up by a key, which it makes itself. One row is one list.
SELECT DISTINCT listed.c0 FROM JSON_TABLE(:rows, '$[*]' COLUMNS (c0 BIGINT PATH '$[0]')) AS listed;

-- name: view_parts
-- A table or view of a MariaDB or MySQL database: its engine, empty for a view; its kind, for MariaDB lets a query read a
-- sequence as a table; and the text of a view, NULL for a table and empty where the user may not see it. With it a column
-- that MariaDB calculates as it is read, and of what: one row each, one without any. MySQL lets such a column be of what
-- gives the same each time alone.
SELECT COALESCE(tables.engine, '') AS engine, tables.table_type AS kind, views.view_definition AS definition,
       columns.column_name AS generated, columns.generation_expression AS expression
FROM information_schema.tables AS tables
LEFT JOIN information_schema.views AS views
  ON views.table_schema = tables.table_schema AND views.table_name = tables.table_name
  AND BINARY views.table_name = BINARY tables.table_name
LEFT JOIN information_schema.columns AS columns
  ON columns.table_schema = tables.table_schema AND columns.table_name = tables.table_name
  AND BINARY columns.table_name = BINARY tables.table_name
  AND columns.extra LIKE '%VIRTUAL%' AND VERSION() LIKE '%MariaDB%'
WHERE tables.table_schema = $schema AND tables.table_name = $table AND BINARY tables.table_name = BINARY $table;

-- name: collated_columns
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
  AND BINARY columns.table_name = BINARY $table;

-- name: routine
-- Whether a stored function of a MariaDB or MySQL database gives the same each time, as it is declared. One row.
SELECT routines.is_deterministic
FROM information_schema.routines AS routines
WHERE routines.routine_schema = $schema AND routines.routine_name = $table AND routines.routine_type = 'FUNCTION';

-- name: hold_release
-- Takes the lock of a run until the end of the session: one row, 1 where it was taken within so many seconds.
SELECT GET_LOCK(CONCAT('ordermade ', $run), $wait) AS held;

-- name: replace_table
-- Gives a table the name of another, which is called `gone` from then on, in one step. Gives no row.
RENAME TABLE {table} TO {gone}, {made} TO {table};

-- name: rename_table
-- Gives a table another name. Gives no row.
RENAME TABLE {made} TO {table};

-- name: create_view
-- Makes a view, whose rows are collected whole before a reader's conditions see them. Gives no row.
CREATE ALGORITHM = TEMPTABLE VIEW {view} AS
{query};

-- name: plan
-- The plan of a statement, which is not run, as one JSON text with the estimated rows of each table: one row.
EXPLAIN FORMAT=JSON {statement};

-- name: release_marks
-- The comments of what has this name among the tables of a database; NULL for what is no table. One row is one table or view.
SELECT CASE WHEN tables.table_type = 'BASE TABLE' THEN tables.table_comment END AS mark
FROM information_schema.tables AS tables
WHERE tables.table_schema = $schema AND tables.table_name = $table;
