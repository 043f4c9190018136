-- What earlier requests on a dataset took. One row: a search that ran to its end, the latest first;
-- looked at are the $newest newest requests of any dataset.
-- $dataset_name = 'members'
-- $newest = 5000
-- $most = 50
SELECT r.nodes_in_lattice, r.nodes_measured, r.seconds, v.rows
FROM (
    SELECT id, dataset_version_id, JSON_EXTRACT(record, '$.nodes_in_lattice') AS nodes_in_lattice,
           JSON_EXTRACT(record, '$.nodes_measured') AS nodes_measured, JSON_EXTRACT(record, '$.seconds') AS seconds,
           JSON_EXTRACT(record, '$.algorithm') AS algorithm, JSON_EXTRACT(record, '$.method') AS method
    FROM requests
    WHERE dataset_name = $dataset_name
      AND id > (SELECT MAX(id) FROM requests) - $newest
      AND status IN ('released', 'refused')
) AS r
JOIN dataset_versions AS v ON v.id = r.dataset_version_id
WHERE COALESCE(r.method, 'generalization') = 'generalization'
  AND r.algorithm <> 'offers'
  AND r.nodes_in_lattice > 0
  AND r.nodes_measured IS NOT NULL
  AND r.seconds > 0
ORDER BY r.id DESC
LIMIT $most
