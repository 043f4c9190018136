-- Settings of a session: instants in UTC, the server's own way to write texts. `$wait`: seconds to wait for a lock;
-- `$collation`: by which texts of a statement are compared with each other, by their bytes. The session is idle while the
-- workspace calculates, and may be slow to take rows. The day that MariaDB gives a time of day is always the same.
SET SESSION sql_mode = 'STRICT_TRANS_TABLES';
SET SESSION time_zone = '+00:00', lc_time_names = 'en_US', default_week_format = 0, div_precision_increment = 4
/*M!100300 , timestamp = 86400 */;
SET SESSION lock_wait_timeout = $wait;
SET SESSION net_write_timeout = 700 /*M!100300 , idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0 */;
SET NAMES utf8mb4 COLLATE $collation;
SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ
