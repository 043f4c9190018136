-- The number of threads that statements run in. One row: that number.
SELECT CURRENT_SETTING('threads') AS threads
