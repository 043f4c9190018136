-- Forgets the levels of every node measured on a dataset version, before the nodes themselves (no foreign
-- key joins them: DuckDB deletes no row that a row deleted in the same transaction referred to).
-- $dataset_version_id = 1
DELETE FROM observation_levels WHERE observation_id IN (SELECT id FROM observations WHERE dataset_version_id = $dataset_version_id)
