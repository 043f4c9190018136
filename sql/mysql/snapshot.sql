-- Begins the read-only snapshot of a session that reads. Gives no row.
START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY
