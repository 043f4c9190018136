-- Registers a dataset. One row: its number.
-- $name = 'members'
-- $source_id = 1
-- $table_name = 'members'
-- $query_text = NULL
-- $query_hash = NULL
-- $entity_column = NULL
-- $added_at = TIMESTAMP '2025-01-31 12:00:00'
-- $least_k = 5
-- $filters = 'columns'
-- $version_query = 'SELECT COUNT(*) FROM members'
-- $parts_column = NULL
-- $file_parts = FALSE
-- $fingerprint = FALSE
-- $columns = '[["age", "BIGINT", true]]'
-- after: source_insert
INSERT INTO datasets (name, source_id, table_name, query_text, query_hash, entity_column, added_at, least_k,
                      filters, version_query, parts_column, file_parts, fingerprint, columns)
VALUES ($name, $source_id, $table_name, $query_text, $query_hash, $entity_column, $added_at, $least_k, $filters,
        $version_query, $parts_column, $file_parts, $fingerprint, $columns)
RETURNING id
