-- The releases, to complete their numbers. One row: a release with the title of its request, the latest first.
SELECT l.id AS name, JSON_EXTRACT(r.record, '$.title') AS note
FROM releases AS l
JOIN requests AS r ON r.id = l.request_id
ORDER BY l.id DESC
