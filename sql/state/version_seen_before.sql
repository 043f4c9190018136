-- The version of the same dataset and row filter, seen last among the others, that has nodes in table C. One row at
-- most: its number.
-- $dataset_version_id = 7
SELECT v.id
FROM dataset_versions AS v
JOIN dataset_versions AS this ON this.dataset_hash = v.dataset_hash
WHERE this.id = $dataset_version_id AND v.id <> this.id
  AND EXISTS (SELECT 1 FROM observations AS o WHERE o.dataset_version_id = v.id)
ORDER BY v.last_seen_at DESC, v.id
LIMIT 1
