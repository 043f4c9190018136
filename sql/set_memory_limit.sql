-- Sets the limit of memory of this database: even to what it was, which gives the memory that it keeps for later statements
-- back to the machine. Gives no row.
SET memory_limit = '1GB'
