-- Writes instants in UTC, whatever the machine's own zone is. Gives no row.
SET TimeZone = 'UTC'
