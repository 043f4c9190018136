-- The change log of a MariaDB database: a script that its provider runs there, 10.6 or later.

-- name: log
-- The change log. One row is one row of a table that was written, by a number that no other has: no value of the table. What
-- is rolled back leaves none. Prune it at any time by TRUNCATE TABLE, which waits for transactions: versions change once.
SET NAMES utf8mb4;
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';

CREATE TABLE IF NOT EXISTS {log} (
  relation BIGINT UNSIGNED NOT NULL,
  place BIGINT UNSIGNED NOT NULL,
  number CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (place, number)
) ENGINE = InnoDB;

CREATE TRIGGER IF NOT EXISTS {log_update} BEFORE UPDATE ON {log} FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the change log is pruned by TRUNCATE TABLE';

CREATE TRIGGER IF NOT EXISTS {log_delete} BEFORE DELETE ON {log} FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the change log is pruned by TRUNCATE TABLE';

-- name: table
-- The triggers of a table. They run with the rights of who makes them: writers need none.
CREATE TRIGGER IF NOT EXISTS {table_insert} AFTER INSERT ON {table} FOR EACH ROW
  INSERT INTO {log} (relation, place, number) VALUES ({relation}, UUID_SHORT(), UUID());

CREATE TRIGGER IF NOT EXISTS {table_update} AFTER UPDATE ON {table} FOR EACH ROW
  INSERT INTO {log} (relation, place, number) VALUES ({relation}, UUID_SHORT(), UUID());

CREATE TRIGGER IF NOT EXISTS {table_delete} AFTER DELETE ON {table} FOR EACH ROW
  INSERT INTO {log} (relation, place, number) VALUES ({relation}, UUID_SHORT(), UUID());

-- name: version
-- The version of the dataset {dataset}: of the rows of the log, and of what no trigger sees: the definitions of the tables and
-- triggers, the numbers that InnoDB gives their files, and how often a table was altered since the server began, for a table
-- may be swapped with a partition of another, be written there, and come back. NULL where a change might not show, within 2
-- seconds of one of the definitions, and while the server replicates another. It reads the numbers with the right PROCESS of
-- who makes it: the reader needs SELECT on the view and EXECUTE of the function alone.
CREATE OR REPLACE FUNCTION {version}() RETURNS VARCHAR(160) CHARACTER SET ascii
READS SQL DATA SQL SECURITY DEFINER
RETURN CONCAT(
  (
    SELECT CONCAT(COUNT(*), '.', COALESCE(SUM(CAST(CONV(LEFT(SHA2(number, 256), 15), 16, 10) AS DECIMAL(20, 0))), 0))
    FROM {log}
    WHERE relation IN ({relations})
  ),
  '.',
  SHA2(CONCAT(
    (
      SELECT IF(COUNT(*) = 0, COALESCE(@@GLOBAL.gtid_slave_pos, ''), NULL)
      FROM information_schema.PROCESSLIST
      WHERE command IN ('Slave_SQL', 'Slave_worker')
    ),
    ' ', UUID_SHORT() >> 24, ' ', (
      SELECT variable_value FROM information_schema.GLOBAL_STATUS WHERE variable_name = 'COM_ALTER_TABLE'
    ),
    {facts}
  ), 256)
);

CREATE OR REPLACE SQL SECURITY DEFINER VIEW {view} AS
SELECT {version}() AS version;

GRANT SELECT ON {view} TO {reader};
GRANT EXECUTE ON FUNCTION {version} TO {reader};

-- name: facts
-- What no trigger sees of one table: NULL where a change might not show. InnoDB calls its files as the server does. Naming the table keeps its definition as it is until
-- the transaction ends.
{at}, IF(EXISTS (SELECT 1 FROM {table} WHERE FALSE), 1, 0),
    ' ', (
      SELECT UNIX_TIMESTAMP(create_time)
      FROM information_schema.TABLES
      WHERE table_schema = {schema} AND table_name = {name}
        AND BINARY table_schema = BINARY {schema} AND BINARY table_name = BINARY {name}
        AND table_type = 'BASE TABLE' AND engine = 'InnoDB'
        AND create_time < SYSDATE() - INTERVAL 2 SECOND
    ),
    ' ', (
      SELECT IF(
        COUNT(*) = {triggers},
        SUM(CAST(CONV(LEFT(
          SHA2(CONCAT_WS('|', trigger_name, UNIX_TIMESTAMP(created), action_statement, definer), 256), 15
        ), 16, 10) AS DECIMAL(20, 0))),
        NULL
      )
      FROM information_schema.TRIGGERS
      WHERE trigger_schema = {schema} AND event_object_table = {name}
        AND BINARY event_object_schema = BINARY {schema} AND BINARY event_object_table = BINARY {name}
        AND trigger_name IN ({trigger_names})
        AND created < SYSDATE() - INTERVAL 2 SECOND
    ),
    ' ', (
      SELECT SUM(CAST(CONV(LEFT(SHA2(CONCAT_WS('|', name, table_id), 256), 15), 16, 10) AS DECIMAL(20, 0)))
      FROM information_schema.INNODB_SYS_TABLES
      WHERE name = CONCAT(
        CONVERT(CAST(CONVERT({schema} USING filename) AS BINARY) USING utf8mb4), '/',
        CONVERT(CAST(CONVERT({name} USING filename) AS BINARY) USING utf8mb4)
      )
    ),
    ' ', (
      SELECT IF(COUNT(*) = 0, 0, NULL)
      FROM information_schema.REFERENTIAL_CONSTRAINTS
      WHERE constraint_schema = {schema} AND table_name = {name}
        AND (delete_rule IN ('CASCADE', 'SET NULL') OR update_rule IN ('CASCADE', 'SET NULL'))
    );

-- name: then
-- Now let the dataset use it: {command}
-- To take it away again, drop the triggers whose names begin with ordermade_, then ordermade_changes and this view and function.
DO SLEEP(3);
SELECT version IS NOT NULL AS is_ready FROM {view};

-- name: query
-- The version query of a dataset that has a change log: one row.
SELECT version FROM {view};

-- name: reader
-- The user of the session, and the version of the server: one row.
SELECT CURRENT_USER() AS reader, VERSION() AS version;

-- name: unfit
-- A table whose changes no trigger shows, and why: one row, none of a table that is fit.
SELECT found.name, found.reason
FROM (
  SELECT
    tables.table_name AS name,
    CASE
      WHEN tables.table_type LIKE '%VIEW' THEN 'is a view'
      WHEN tables.table_type <> 'BASE TABLE' THEN 'is no plain table'
      WHEN tables.engine <> 'InnoDB' THEN 'is not of the engine InnoDB'
      WHEN tables.create_options LIKE '%partitioned%' THEN 'is partitioned, and partitions are swapped without a trigger'
      WHEN EXISTS (
        SELECT 1
        FROM information_schema.REFERENTIAL_CONSTRAINTS AS named
        WHERE named.constraint_schema = $schema AND named.table_name = $table
          AND (named.delete_rule IN ('CASCADE', 'SET NULL') OR named.update_rule IN ('CASCADE', 'SET NULL'))
      ) THEN 'has a foreign key that cascades, which fires no trigger'
    END AS reason
  FROM information_schema.TABLES AS tables
  WHERE tables.table_schema = $schema AND tables.table_name = $table
    AND BINARY tables.table_schema = BINARY $schema AND BINARY tables.table_name = BINARY $table
) AS found
WHERE found.reason IS NOT NULL;
