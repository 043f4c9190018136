-- The steps of the service. One row: what an entry of the audit wrote, as canonical JSON; the earliest first.
SELECT data FROM audit WHERE data IS NOT NULL ORDER BY id
