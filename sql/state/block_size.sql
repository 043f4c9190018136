-- The size of the blocks of the open state. One row: bytes.
SELECT block_size FROM PRAGMA_DATABASE_SIZE() WHERE database_name = CURRENT_DATABASE()
