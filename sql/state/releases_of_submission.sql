-- Which releases are of a submitted request? One row a release: the noted one, or one in a folder of its deliveries,
-- where a killed run left it. The folder of a revision is called by both numbers.
-- $id = 1
SELECT r.id
FROM releases AS r
JOIN submissions AS s ON s.release_id = r.id OR INSTR(r.path, '/deliveries/' || s.id || '-') > 0
WHERE s.id = $id
