-- Keeps the answer of a query as a table of the engine's own, for this request only. One row is whatever the query's is.
CREATE OR REPLACE TEMPORARY TABLE stored AS SELECT dataset.qi FROM dataset
