-- The selected observations, to be exported. Makes a table. One row: an observation and one of its attributes, in
-- order; the root, which has none below *, has one row without.
-- after: observations_describe
CREATE OR REPLACE TEMPORARY TABLE exported AS
SELECT d.observation, d.dataset, d.dataset_hash, d.dataset_version, d.is_latest, l.column_name, l.level, l.level_name,
       l.level_hash, d.rows, d.divisions, d.k
FROM described_observations AS d
LEFT JOIN observation_levels AS l ON l.observation_id = d.observation
ORDER BY d.observation, l.column_name
