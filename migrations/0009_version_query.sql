-- Versions that a provider's query vouches for, in place of one hash per row.

ALTER TABLE datasets ADD COLUMN version_query VARCHAR;
COMMENT ON COLUMN datasets.version_query IS 'SELECT of one row that stands for the content of the dataset; NULL where every row is hashed';

ALTER TABLE dataset_versions ADD COLUMN vouched_by VARCHAR;
COMMENT ON COLUMN dataset_versions.vouched_by IS 'SHA-256 of the text of the query that vouches for the version; NULL where every row was hashed';
COMMENT ON COLUMN dataset_versions.hash_sum IS 'Sum of one 64-bit hash per row over all columns; where a query vouches for the version, 128 bits of the SHA-256 of its text and its answer';
