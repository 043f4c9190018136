-- Selects observations: lists their numbers. One row: an observation of these datasets (NULL: any) that was
-- measured before that time (NULL: at any time) and, with $earlier_versions, not on the version its dataset was seen
-- with last.
-- $dataset_ids = [1]
-- $before = TIMESTAMP '2025-02-01 12:00:00'
-- $earlier_versions = FALSE
-- after: observations_selection
INSERT INTO temp.selected_observations (id)
SELECT o.id
FROM observations AS o
JOIN dataset_versions AS v ON v.id = o.dataset_version_id
WHERE ($dataset_ids IS NULL
       OR v.dataset_hash IN (SELECT dataset_hash FROM dataset_identities
                             WHERE dataset_id IN (SELECT value FROM json_each($dataset_ids))))
  AND ($before IS NULL OR o.measured_at < $before)
  AND (NOT $earlier_versions
       OR o.dataset_version_id NOT IN (
           SELECT id
           FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place
                 FROM dataset_versions)
           WHERE place = 1))
