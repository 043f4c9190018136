-- Takes the lock of a run until the end of the session: one row, 1 where it was taken within so many seconds.
SELECT GET_LOCK(CONCAT('ordermade ', $run), $wait) AS held
