-- SQLite as a source.

-- name: mirror
-- Attaches an empty database of the workspace for the tables of a source, which gives the types of the source's
-- answers.
ATTACH ':memory:' AS source;

-- name: received
-- A table of the workspace in the source, for one connection. One row is one row of that table.
CREATE TEMPORARY TABLE received (qi VARCHAR);

-- name: receive
-- Fills a table of the workspace in the source.
-- $value = 'E'
-- after: received
INSERT INTO received VALUES ($value);

-- name: received_key
-- Indexes a table of the workspace in the source by the column that the source's rows are joined on.
-- after: received
CREATE INDEX received_key ON received (qi);

-- name: tables
-- The tables and views of a SQLite database. One row is one of them, with the text that made it. Its own are left out.
SELECT sqlite_master.name, sqlite_master.type, sqlite_master.sql
FROM sqlite_master
WHERE sqlite_master.type IN ('table', 'view') AND SUBSTRING(sqlite_master.name, 1, 7) <> 'sqlite_'
ORDER BY sqlite_master.name;

-- name: declared
-- The declared types of the columns of a table of a SQLite database. One row is one column.
-- $name = 'dataset'
SELECT info.name, info.type FROM PRAGMA_TABLE_INFO($name) AS info;

-- name: unusual
-- A flag of values in a column of a SQLite database that its declared type excludes. One row; the column is there once
-- for each that is declared for whole numbers, fractions or texts.
SELECT MAX(CASE WHEN TYPEOF(dataset.qi) IN ('text', 'null') THEN 0 ELSE 1 END) AS unusual FROM dataset;

-- name: stored
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
FROM dataset;
