-- The classes of every cell of one quasi-identifier, packed: one row is one cell, its classes at some levels side by side in
-- the bits of a number.
SELECT DISTINCT keys.cell, CAST(keys.level AS BIGINT) << 0 AS word FROM keys
