-- The files that the state knows the hashes of: releases that stand under their names, and certificates. One row: a file.
SELECT 'release ' || r.id AS named, r.path AS path, r.sha256 AS sha256
FROM releases AS r
LEFT JOIN release_ends AS e ON e.release_id = r.id
WHERE e.release_id IS NULL AND r.path IS NOT NULL AND r.sha256 IS NOT NULL
  AND r.id NOT IN (SELECT release_id FROM erased_releases)
UNION ALL
SELECT 'certificate ' || id, path, sha256 FROM certificates
ORDER BY 2
