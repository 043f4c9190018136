-- The references that lead nowhere, or are inconsistent. One row: a reference with the number of rows that break it.
SELECT 'datasets.source_id' AS reference, COUNT(*) AS broken FROM datasets AS t LEFT JOIN sources AS p ON p.id = t.source_id WHERE p.id IS NULL
UNION ALL
SELECT 'dataset_filter_columns.dataset_id', COUNT(*) FROM dataset_filter_columns AS t LEFT JOIN datasets AS p ON p.id = t.dataset_id WHERE p.id IS NULL
UNION ALL
SELECT 'dataset_versions.dataset_id', COUNT(*) FROM dataset_versions AS t LEFT JOIN datasets AS p ON p.id = t.dataset_id WHERE t.dataset_id IS NOT NULL AND p.id IS NULL
UNION ALL
SELECT 'dataset_version_columns.dataset_version_id', COUNT(*) FROM dataset_version_columns AS t LEFT JOIN dataset_versions AS p ON p.id = t.dataset_version_id WHERE p.id IS NULL
UNION ALL
SELECT 'dataset_identities.dataset_id', COUNT(*) FROM dataset_identities AS t LEFT JOIN datasets AS p ON p.id = t.dataset_id WHERE p.id IS NULL
UNION ALL
SELECT 'hierarchy_levels.hierarchy_id', COUNT(*) FROM hierarchy_levels AS t LEFT JOIN hierarchies AS p ON p.id = t.hierarchy_id WHERE p.id IS NULL
UNION ALL
SELECT 'hierarchy_values.hierarchy_id', COUNT(*) FROM hierarchy_values AS t LEFT JOIN hierarchies AS p ON p.id = t.hierarchy_id WHERE p.id IS NULL
UNION ALL
SELECT 'hierarchy_refinements.hierarchy_id', COUNT(*) FROM hierarchy_refinements AS t LEFT JOIN hierarchies AS p ON p.id = t.hierarchy_id WHERE p.id IS NULL
UNION ALL
SELECT 'requests.dataset_version_id', COUNT(*) FROM requests AS t LEFT JOIN dataset_versions AS p ON p.id = t.dataset_version_id WHERE t.dataset_version_id IS NOT NULL AND p.id IS NULL
UNION ALL
SELECT 'request_quasi_identifiers.request_id', COUNT(*) FROM request_quasi_identifiers AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'request_columns.request_id', COUNT(*) FROM request_columns AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'request_sensitive.request_id', COUNT(*) FROM request_sensitive AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'request_attributes.request_id', COUNT(*) FROM request_attributes AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'request_splits.request_id', COUNT(*) FROM request_splits AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'request_history.request_id', COUNT(*) FROM request_history AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'observations.dataset_version_id', COUNT(*) FROM observations AS t LEFT JOIN dataset_versions AS p ON p.id = t.dataset_version_id WHERE p.id IS NULL
UNION ALL
SELECT 'observations.request_id', COUNT(*) FROM observations AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE t.request_id IS NOT NULL AND p.id IS NULL
UNION ALL
SELECT 'observations.id', COUNT(*) - COUNT(DISTINCT id) FROM observations
UNION ALL
SELECT 'observations.dataset_version_id, node_hash', COUNT(*) - (SELECT COUNT(*) FROM (SELECT DISTINCT dataset_version_id, node_hash FROM observations))
FROM observations
UNION ALL
SELECT 'observations.class_counts', COUNT(*) FROM observations WHERE LENGTH(class_sizes) <> LENGTH(class_counts)
UNION ALL
SELECT 'observations.node_hash', COUNT(*)
FROM observations AS t
LEFT JOIN (
    SELECT observation_id,
           STRING_AGG(LENGTH(column_name) || ':' || column_name || '=' || level_hash || CHR(10), ''
                      ORDER BY column_name, level_hash) AS node
    FROM observation_levels
    GROUP BY observation_id
) AS p ON p.observation_id = t.id
WHERE t.node_hash <> SHA256(COALESCE(p.node, ''))
UNION ALL
SELECT 'observation_levels.observation_id', COUNT(*) FROM observation_levels AS t LEFT JOIN observations AS p ON p.id = t.observation_id WHERE p.id IS NULL
UNION ALL
SELECT 'observation_models.observation_id', COUNT(*) FROM observation_models AS t LEFT JOIN observations AS p ON p.id = t.observation_id WHERE p.id IS NULL
UNION ALL
SELECT 'observation_models.failing_counts', COUNT(*) FROM observation_models WHERE LENGTH(failing_sizes) IS DISTINCT FROM LENGTH(failing_counts)
UNION ALL
SELECT 'observation_models.least_counts', COUNT(*) FROM observation_models WHERE LENGTH(least_sizes) IS DISTINCT FROM LENGTH(least_counts)
UNION ALL
SELECT 'observation_models.keepable_counts', COUNT(*) FROM observation_models WHERE LENGTH(keepable_units) IS DISTINCT FROM LENGTH(keepable_counts)
UNION ALL
SELECT 'forecast_levels.forecast_id', COUNT(*) FROM forecast_levels AS t LEFT JOIN forecasts AS p ON p.id = t.forecast_id WHERE p.id IS NULL
UNION ALL
SELECT 'releases.request_id', COUNT(*) FROM releases AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'release_columns.release_id', COUNT(*) FROM release_columns AS t LEFT JOIN releases AS p ON p.id = t.release_id WHERE p.id IS NULL
UNION ALL
SELECT 'release_losses.release_id', COUNT(*) FROM release_losses AS t LEFT JOIN releases AS p ON p.id = t.release_id WHERE p.id IS NULL
UNION ALL
SELECT 'release_privacy.release_id', COUNT(*) FROM release_privacy AS t LEFT JOIN releases AS p ON p.id = t.release_id WHERE p.id IS NULL
UNION ALL
SELECT 'release_ends.release_id', COUNT(*) FROM release_ends AS t LEFT JOIN releases AS p ON p.id = t.release_id WHERE p.id IS NULL
UNION ALL
SELECT 'release_ends.superseded_by', COUNT(*) FROM release_ends AS t LEFT JOIN releases AS p ON p.id = t.superseded_by WHERE t.superseded_by IS NOT NULL AND p.id IS NULL
UNION ALL
SELECT 'offer_lists.request_id', COUNT(*) FROM offer_lists AS t LEFT JOIN requests AS p ON p.id = t.request_id WHERE p.id IS NULL
UNION ALL
SELECT 'offer_lists.dataset_version_id', COUNT(*) FROM offer_lists AS t LEFT JOIN dataset_versions AS p ON p.id = t.dataset_version_id WHERE p.id IS NULL
