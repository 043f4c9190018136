-- What predicting a request needs without opening its source: the columns of each dataset version, and which datasets a
-- registered dataset is under its row filters. And table C forgets a node in one transaction.

CREATE TABLE dataset_version_columns (
    dataset_version_id BIGINT NOT NULL REFERENCES dataset_versions (id),
    position           INTEGER NOT NULL,
    column_name        VARCHAR NOT NULL,
    column_type        VARCHAR NOT NULL,
    PRIMARY KEY (dataset_version_id, position)
);
COMMENT ON TABLE dataset_version_columns IS 'Columns of a dataset version, in order; none for a version last seen before migration 0002';
COMMENT ON COLUMN dataset_version_columns.dataset_version_id IS 'The dataset version';
COMMENT ON COLUMN dataset_version_columns.position IS 'Place of the column, from 0';
COMMENT ON COLUMN dataset_version_columns.column_name IS 'Name as the source stores it';
COMMENT ON COLUMN dataset_version_columns.column_type IS 'SQL type, as the source names it';

CREATE TABLE dataset_identities (
    dataset_id   BIGINT NOT NULL REFERENCES datasets (id),
    dataset_hash VARCHAR NOT NULL,
    filter       VARCHAR,
    PRIMARY KEY (dataset_id, dataset_hash)
);
COMMENT ON TABLE dataset_identities IS 'Which datasets (with their versions) a registered dataset is, one for each row filter it was asked with';
COMMENT ON COLUMN dataset_identities.dataset_id IS 'The registered dataset; two of one table or query share their identities';
COMMENT ON COLUMN dataset_identities.dataset_hash IS 'SHA-256 of source, relation and filter, as in dataset_versions';
COMMENT ON COLUMN dataset_identities.filter IS 'The row filter of the request; NULL if none';

INSERT INTO dataset_identities (dataset_id, dataset_hash, filter)
SELECT DISTINCT dataset_id, dataset_hash, filter FROM dataset_versions WHERE dataset_id IS NOT NULL;

-- observation_levels without its foreign key: DuckDB deletes no row that a row deleted in the same transaction referred
-- to, so an observation and its levels could not be deleted together. `ordermade state verify` checks it instead.
CREATE TABLE observation_levels_anew (
    observation_id BIGINT NOT NULL,
    column_name    VARCHAR NOT NULL,
    level          INTEGER NOT NULL,
    level_name     VARCHAR NOT NULL,
    level_hash     VARCHAR NOT NULL,
    PRIMARY KEY (observation_id, column_name)
);
INSERT INTO observation_levels_anew (observation_id, column_name, level, level_name, level_hash)
SELECT observation_id, column_name, level, level_name, level_hash FROM observation_levels;
DROP TABLE observation_levels;
ALTER TABLE observation_levels_anew RENAME TO observation_levels;
COMMENT ON TABLE observation_levels IS 'The node of an observation: a row for each attribute below *; what is left out is at *';
COMMENT ON COLUMN observation_levels.observation_id IS 'The observation';
COMMENT ON COLUMN observation_levels.column_name IS 'Column of the dataset';
COMMENT ON COLUMN observation_levels.level IS 'Level number then, for reading by hand';
COMMENT ON COLUMN observation_levels.level_name IS 'Level name then, for reading by hand';
COMMENT ON COLUMN observation_levels.level_hash IS 'Content hash of the level: what the observation is known by';

-- A process killed between the two transactions of the older way left observations without their levels, which read as
-- if they were of the root. The root's own is the one whose node_hash is the SHA-256 of nothing.
DELETE FROM observations
WHERE id NOT IN (SELECT observation_id FROM observation_levels)
  AND node_hash <> 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
