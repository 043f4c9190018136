-- Datasets in parts, each of which is counted once.

ALTER TABLE datasets ADD COLUMN parts_column VARCHAR;
ALTER TABLE datasets ADD COLUMN file_parts BOOLEAN DEFAULT FALSE;
ALTER TABLE datasets ADD COLUMN fingerprint BOOLEAN DEFAULT FALSE;
COMMENT ON COLUMN datasets.parts_column IS 'Column of which each value is a part; NULL where the dataset is whole, or a file is a part';
COMMENT ON COLUMN datasets.file_parts IS 'Whether each file of the source is a part';
COMMENT ON COLUMN datasets.fingerprint IS 'Whether path, size, time of change and footer of a file stand for its rows, which are hashed otherwise';

CREATE TABLE dataset_parts (
    dataset_hash VARCHAR NOT NULL,
    content VARCHAR NOT NULL,
    rows BIGINT NOT NULL,
    seen_at TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_hash, content)
);
COMMENT ON TABLE dataset_parts IS 'Parts that a dataset was seen with. One row is one content of a part under one row filter';
COMMENT ON COLUMN dataset_parts.dataset_hash IS 'Hash of source, table or query, row filter and entity, as in dataset_versions';
COMMENT ON COLUMN dataset_parts.content IS 'SHA-256 of the version of the part: its rows and their hashes, or the fingerprint of its file';
COMMENT ON COLUMN dataset_parts.rows IS 'Rows of the part that the row filter leaves';
COMMENT ON COLUMN dataset_parts.seen_at IS 'When it was first seen';

CREATE TABLE part_columns (
    dataset_hash VARCHAR NOT NULL,
    columns VARCHAR NOT NULL,
    PRIMARY KEY (dataset_hash, columns)
);
COMMENT ON TABLE part_columns IS 'Columns that the parts of a dataset were counted by, so that a purge finds what is kept of them';
COMMENT ON COLUMN part_columns.dataset_hash IS 'Hash of the dataset, as in dataset_parts';
COMMENT ON COLUMN part_columns.columns IS 'SHA-256 of names and types of the columns';
