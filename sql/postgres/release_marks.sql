-- The comments of what has this name among the tables of a schema; NULL for what is no table, or has none. One row is one
-- table, view, index or sequence.
SELECT CASE WHEN class.relkind = 'r' THEN obj_description(class.oid, 'pg_class') END AS mark
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE namespace.nspname = $schema AND class.relname = $table
