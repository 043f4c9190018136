-- Keeps a query under a name of the engine's own, for this request only, without its answer. One row is one row of the
-- query.
CREATE OR REPLACE TEMPORARY VIEW stored AS SELECT dataset.qi FROM dataset
