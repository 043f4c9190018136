-- A checksum of all rows of a table that has no snapshot, to see whether it is written to meanwhile: one row.
CHECKSUM TABLE {table} EXTENDED
