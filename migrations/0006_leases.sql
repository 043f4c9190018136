-- For how long a process has a request that it runs, so that of two that believe they do one alone releases.

-- Number of the lease under which it was last run: each is one more; NULL before the first
ALTER TABLE submissions ADD COLUMN lease INTEGER;

-- When that lease is over unless it is renewed; NULL while no process runs it
ALTER TABLE submissions ADD COLUMN lease_ends_at TIMESTAMP;
