-- Whether a stored function of a MariaDB or MySQL database gives the same each time, as it is declared. One row.
SELECT routines.is_deterministic
FROM information_schema.routines AS routines
WHERE routines.routine_schema = $schema AND routines.routine_name = $table AND routines.routine_type = 'FUNCTION'
