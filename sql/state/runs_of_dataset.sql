-- What earlier requests on a dataset took. One row: a search that ran to its end, the latest first;
-- looked at are the $newest newest requests of any dataset.
-- $dataset_name = 'members'
-- $newest = 5000
-- $most = 50
SELECT requests.nodes_in_lattice, requests.nodes_measured, requests.seconds, dataset_versions.rows
FROM requests
JOIN dataset_versions ON dataset_versions.id = requests.dataset_version_id
WHERE requests.dataset_name = $dataset_name
  AND requests.id > (SELECT MAX(id) FROM requests) - $newest
  AND COALESCE(requests.method, 'generalization') = 'generalization'
  AND requests.algorithm <> 'offers'
  AND requests.status IN ('released', 'refused')
  AND requests.nodes_in_lattice > 0
  AND requests.nodes_measured IS NOT NULL
  AND requests.seconds > 0
ORDER BY requests.id DESC
LIMIT $most
