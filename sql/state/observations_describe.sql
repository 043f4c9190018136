-- The selected observations, for a reader. Makes a table. One row: an observation, its node in words and in lists that
-- run in parallel (one place an attribute, by column), and the name of its dataset (in use, else as it was).
-- after: observations_select, observation_levels_insert
CREATE OR REPLACE TEMPORARY TABLE described_observations AS
WITH nodes AS (
    SELECT observation_id, LIST(column_name ORDER BY column_name) AS columns, LIST(level ORDER BY column_name) AS levels,
           LIST(level_name ORDER BY column_name) AS level_names, LIST(level_hash ORDER BY column_name) AS level_hashes,
           STRING_AGG(column_name || ': ' || level_name, ', ' ORDER BY column_name) AS node
    FROM observation_levels
    GROUP BY observation_id
), names AS (
    SELECT i.dataset_hash,
           STRING_AGG(DISTINCT CASE WHEN d.removed_at IS NULL THEN d.name END, ', '
                      ORDER BY CASE WHEN d.removed_at IS NULL THEN d.name END) AS in_use,
           STRING_AGG(DISTINCT d.name, ', ' ORDER BY d.name) AS ever
    FROM dataset_identities AS i
    JOIN datasets AS d ON d.id = i.dataset_id
    GROUP BY i.dataset_hash
), latest AS (
    SELECT id
    FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place
          FROM dataset_versions)
    WHERE place = 1
)
SELECT o.id AS observation, COALESCE(names.in_use, names.ever, r.dataset_name) AS dataset, v.dataset_hash, v.filter,
       o.dataset_version_id AS dataset_version, latest.id IS NOT NULL AS is_latest, COALESCE(nodes.node, '*') AS node,
       nodes.columns, nodes.levels, nodes.level_names, nodes.level_hashes, o.rows, o.divisions, o.k, o.sum_of_squares,
       o.class_sizes, o.class_counts, o.request_id AS request, o.measured_at
FROM observations AS o
JOIN selected_observations AS s ON s.id = o.id
JOIN dataset_versions AS v ON v.id = o.dataset_version_id
LEFT JOIN nodes ON nodes.observation_id = o.id
LEFT JOIN names ON names.dataset_hash = v.dataset_hash
LEFT JOIN latest ON latest.id = v.id
LEFT JOIN requests AS r ON r.id = o.request_id
