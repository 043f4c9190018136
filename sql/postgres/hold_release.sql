-- Takes the lock of a run until the end of the transaction, and makes its commit outlive a crash. Gives one row.
SELECT
  pg_advisory_xact_lock(hashtextextended('ordermade ' || CAST($run AS TEXT), 0)),
  set_config('synchronous_commit', 'on', TRUE)
