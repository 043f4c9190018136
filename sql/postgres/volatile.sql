-- The functions of these names that are declared volatile, so that they may give another value each time. One row a name.
SELECT DISTINCT proc.proname::TEXT AS name
FROM pg_catalog.pg_proc AS proc
WHERE proc.provolatile = 'v' AND proc.proname = ANY($names)
ORDER BY 1
