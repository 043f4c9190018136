-- Notes the parts that a dataset is seen with; the lists run in parallel, one place a part. Known ones stay as they are.
-- $dataset_hash = 'd1d1'
-- $content = ['p1p1']
-- $rows = [1000]
-- $seen_at = TIMESTAMP '2025-01-31 12:00:00'
INSERT INTO dataset_parts (dataset_hash, content, rows, seen_at)
VALUES ($dataset_hash, $content, $rows, $seen_at)
ON CONFLICT DO NOTHING

