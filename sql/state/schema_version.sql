-- The version of the schema, which changes whenever a table does. One row: the number.
PRAGMA schema_version
