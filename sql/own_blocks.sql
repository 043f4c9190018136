-- Blocks come from memory of this database alone, as much as it may use: DuckDB does not clear the rest of a block that
-- it writes to a file, and freed memory of the process may have values of persons. No rows.
SET block_allocator_memory = '100%'
