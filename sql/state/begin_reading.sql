-- Begins a transaction that reads: all of it sees the state as it is at its first statement. No rows.
BEGIN
