-- The registered datasets, by name. One row: a dataset with its source's name, the columns that it may be filtered by,
-- and its policy in force.
SELECT d.id, d.name, d.source_id, s.name AS source_name, d.table_name, d.query_text, d.query_hash, d.entity_column,
       d.added_at, d.removed_at, d.least_k, d.version_query, d.parts_column,
       d.file_parts, d.fingerprint, d.filters,
       (SELECT JSON_GROUP_ARRAY(c.column_name)
        FROM (SELECT f.column_name FROM dataset_filter_columns AS f WHERE f.dataset_id = d.id ORDER BY f.position) AS c)
           AS "filter_columns [LIST_TEXT]",
       (SELECT p.policy FROM policies AS p WHERE p.dataset_name = d.name ORDER BY p.version DESC LIMIT 1) AS policy
FROM datasets AS d
JOIN sources AS s ON s.id = d.source_id
WHERE d.removed_at IS NULL
ORDER BY d.name
