-- Fills the datasets of a restored state with those of the copy, each with the persons that one of its name since counts,
-- where it counts rows; those that were added since are there as removed.
-- $removed_at = TIMESTAMP '2025-02-01 12:00:00'
-- after: attach_state, attach_restored, restored_sources
INSERT INTO main.datasets (id, name, source_id, table_name, query_text, query_hash, entity_column, added_at, removed_at, least_k,
                           filters, version_query, parts_column, file_parts, fingerprint, columns)
SELECT b.id, b.name, b.source_id, b.table_name, b.query_text, b.query_hash,
       COALESCE(b.entity_column, (SELECT s.entity_column FROM ordermade_state.datasets AS s WHERE s.name = b.name AND s.id > b.id AND s.entity_column IS NOT NULL ORDER BY s.id DESC LIMIT 1)),
       b.added_at, b.removed_at, b.least_k, b.filters, b.version_query, b.parts_column, b.file_parts,
       b.fingerprint, b.columns
FROM ordermade_restored.datasets AS b
UNION ALL
SELECT s.id, s.name, s.source_id, s.table_name, s.query_text, s.query_hash, s.entity_column, s.added_at,
       COALESCE(s.removed_at, $removed_at), s.least_k, s.filters, s.version_query, s.parts_column, s.file_parts,
       s.fingerprint, s.columns
FROM ordermade_state.datasets AS s
WHERE s.id NOT IN (SELECT b.id FROM ordermade_restored.datasets AS b)
