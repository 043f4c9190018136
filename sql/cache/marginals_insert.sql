-- Stores marginals of a dataset version; the lists run in parallel, one place a level of a column. (Histograms come as
-- text: a million numbers bound one by one would take a second.)
-- $dataset_version_id = 7
-- $column_name = ['age']
-- $level_hash = ['a1']
-- $class_sizes = ['[400, 600]']
-- $class_counts = ['[1, 1]']
-- $at = TIMESTAMP '2025-01-31 12:00:00'
-- after: create_marginals
INSERT INTO ordermade_cache.main.marginals (dataset_version_id, column_name, level_hash, class_sizes, class_counts,
                                            created_at, last_used_at)
SELECT $dataset_version_id, UNNEST(CAST($column_name AS VARCHAR[])), UNNEST(CAST($level_hash AS VARCHAR[])),
       CAST(UNNEST(CAST($class_sizes AS VARCHAR[])) AS BIGINT[]),
       CAST(UNNEST(CAST($class_counts AS VARCHAR[])) AS BIGINT[]), $at, $at
