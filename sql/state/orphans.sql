-- The references that lead nowhere, or are inconsistent. One row: a reference with the number of rows that break it.
SELECT 'observations.class_counts' AS reference, COUNT(*) AS broken FROM observations WHERE JSON_ARRAY_LENGTH(class_sizes) <> JSON_ARRAY_LENGTH(class_counts)
UNION ALL
SELECT 'observations.node_hash', COUNT(*)
FROM observations AS t
LEFT JOIN (
    SELECT observation_id, GROUP_CONCAT(LENGTH(column_name) || ':' || column_name || '=' || level_hash || CHAR(10), '') AS node
    FROM (SELECT o.id AS observation_id, m.column_name, m.level_hash
          FROM observations AS o
          JOIN json_each(o.levels) AS l
          JOIN measured_levels AS m ON m.id = l.value
          ORDER BY o.id, m.column_name, m.level_hash)
    GROUP BY observation_id
) AS p ON p.observation_id = t.id
WHERE t.node_hash <> SHA256(COALESCE(p.node, ''))
UNION ALL
SELECT 'observation_models.failing_counts', COUNT(*) FROM observation_models WHERE JSON_ARRAY_LENGTH(failing_sizes) IS NOT JSON_ARRAY_LENGTH(failing_counts)
UNION ALL
SELECT 'observation_models.least_counts', COUNT(*) FROM observation_models WHERE JSON_ARRAY_LENGTH(least_sizes) IS NOT JSON_ARRAY_LENGTH(least_counts)
UNION ALL
SELECT 'observation_models.keepable_counts', COUNT(*) FROM observation_models WHERE JSON_ARRAY_LENGTH(keepable_units) IS NOT JSON_ARRAY_LENGTH(keepable_counts)
