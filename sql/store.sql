-- Keeps the answer of a query as a table of the engine's own, for this request only. One row is one row of the answer.
CREATE OR REPLACE TEMPORARY TABLE stored AS SELECT dataset.qi FROM dataset
