-- Writes instants in UTC in any time zone of the machine. Gives no row.
SET TimeZone = 'UTC'
