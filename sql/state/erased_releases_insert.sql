-- Notes that the files of releases were erased.
-- $release_id = [1]
-- $erased_at = TIMESTAMP '2030-01-31 12:00:00'
INSERT INTO erased_releases (release_id, erased_at)
VALUES ($release_id, $erased_at)
