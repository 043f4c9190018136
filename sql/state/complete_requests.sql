-- The requests, to complete their numbers. One row: a request with its title, the latest first.
SELECT r.id AS name, JSON_EXTRACT(r.record, '$.title') AS note
FROM requests AS r
UNION ALL
SELECT s.id, s.title
FROM submissions AS s
ORDER BY name DESC
