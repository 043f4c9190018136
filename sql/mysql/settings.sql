-- Settings of a session that reads, and its snapshot: instants in UTC, the server's own way to write texts. `wait`: seconds
-- to wait for a lock.
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
SET SESSION time_zone = '+00:00';
SET SESSION lock_wait_timeout = $wait;
SET NAMES utf8mb4;
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ;
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY
