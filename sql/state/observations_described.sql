-- The selected observations in full, the latest first. One row: an observation; its lists run in parallel, one place a
-- column. `dataset` is the name of those in use that it is of, else of those that were, else of its request.
-- $most = 10
-- after: observations_select
WITH nodes AS (
    SELECT observation_id, JSON_GROUP_ARRAY(column_name) AS columns, JSON_GROUP_ARRAY(level) AS levels,
           JSON_GROUP_ARRAY(level_name) AS level_names, JSON_GROUP_ARRAY(level_hash) AS level_hashes,
           GROUP_CONCAT(column_name || ': ' || level_name, ', ') AS node
    FROM (SELECT o.id AS observation_id, m.*
          FROM selected_observations AS s
          JOIN observations AS o ON o.id = s.id
          JOIN json_each(o.levels) AS l
          JOIN measured_levels AS m ON m.id = l.value
          ORDER BY o.id, m.column_name)
    GROUP BY observation_id
), named AS (
    SELECT DISTINCT i.dataset_hash, d.name, d.removed_at IS NULL AS in_use
    FROM dataset_identities AS i
    JOIN datasets AS d ON d.id = i.dataset_id
    ORDER BY d.name
), names AS (
    SELECT dataset_hash, (SELECT GROUP_CONCAT(u.name, ', ') FROM named AS u WHERE u.dataset_hash = n.dataset_hash AND u.in_use)
               AS in_use,
           (SELECT GROUP_CONCAT(e.name, ', ') FROM (SELECT DISTINCT name, dataset_hash FROM named ORDER BY name) AS e
            WHERE e.dataset_hash = n.dataset_hash) AS ever
    FROM named AS n
    GROUP BY dataset_hash
), latest AS (
    SELECT id
    FROM (SELECT id, ROW_NUMBER() OVER (PARTITION BY dataset_hash ORDER BY last_seen_at DESC, id) AS place
          FROM dataset_versions)
    WHERE place = 1
)
SELECT o.id AS observation, COALESCE(names.in_use, names.ever, r.dataset_name) AS dataset, v.dataset_hash, v.filter,
       o.dataset_version_id AS dataset_version, latest.id IS NOT NULL AS "is_latest [BOOLEAN]",
       COALESCE(nodes.node, '*') AS node, nodes.columns AS "columns [LIST_TEXT]", nodes.levels AS "levels [LIST_TEXT]",
       nodes.level_names AS "level_names [LIST_TEXT]", nodes.level_hashes AS "level_hashes [LIST_TEXT]", o.rows,
       o.divisions, o.k, o.sum_of_squares, o.class_sizes, o.class_counts, o.request_id AS request, o.measured_at
FROM observations AS o
JOIN selected_observations AS s ON s.id = o.id
JOIN dataset_versions AS v ON v.id = o.dataset_version_id
LEFT JOIN nodes ON nodes.observation_id = o.id
LEFT JOIN names ON names.dataset_hash = v.dataset_hash
LEFT JOIN latest ON latest.id = v.id
LEFT JOIN requests AS r ON r.id = o.request_id
ORDER BY o.id DESC
LIMIT COALESCE($most, -1)
