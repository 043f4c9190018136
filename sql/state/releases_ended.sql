-- The files of releases below a folder that came to their end, where no other stands under the name. One row: a path.
-- $folder = '/srv/.ordermade/deliveries/'
SELECT DISTINCT r.path
FROM releases AS r
JOIN release_ends AS e ON e.release_id = r.id
WHERE SUBSTR(r.path, 1, LENGTH($folder)) = $folder
  AND NOT EXISTS (
    SELECT 1
    FROM releases AS s
    LEFT JOIN release_ends AS n ON n.release_id = s.id
    WHERE s.path = r.path AND n.release_id IS NULL
  )
ORDER BY r.path
