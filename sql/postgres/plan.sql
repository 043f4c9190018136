-- The plan of a statement, which is not run, as one JSON text with the estimated rows of each step: one row.
EXPLAIN (FORMAT JSON) {statement}
