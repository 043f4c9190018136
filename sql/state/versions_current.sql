-- The version of each dataset (and filter) that was seen last. One row: its number.
SELECT id
FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place FROM dataset_versions)
WHERE place = 1
ORDER BY id
