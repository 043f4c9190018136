-- The releases that stand under a name. One row: a release, the latest first.
-- $path = 'out/members.parquet'
-- $table_name = NULL
SELECT r.id
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
WHERE e.release_id IS NULL AND r.id NOT IN (SELECT release_id FROM erased_releases)
  AND (r.path = $path OR r.table_name = $table_name)
ORDER BY r.id DESC
