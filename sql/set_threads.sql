-- Gives statements another number of threads. Gives no row.
SET threads = 1
