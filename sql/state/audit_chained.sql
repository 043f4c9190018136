-- Notes the hashes of entries that were made before the audit was a chain; the lists run in parallel.
-- $id = [1]
-- $hash = ['a0a0']
UPDATE audit
SET hash = chained.hash
FROM (SELECT UNNEST(CAST($id AS BIGINT[])) AS id, UNNEST(CAST($hash AS VARCHAR[])) AS hash) AS chained
WHERE audit.id = chained.id
