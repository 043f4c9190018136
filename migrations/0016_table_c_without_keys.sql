-- Table C without its keys. DuckDB registers every piece of every index when it opens a file: the keys of millions of
-- observations made each opening of the state a tenth of a second longer, and the file nearly twice as large. Nothing is
-- looked up by them: one process at a time writes, and it reads what table C has of a dataset version before it adds to
-- it. `ordermade state verify` checks them instead.
CREATE TABLE observations_anew (
    id                 BIGINT NOT NULL DEFAULT nextval('observation_ids'),
    dataset_version_id BIGINT NOT NULL,
    node_hash          VARCHAR NOT NULL,
    rows               BIGINT NOT NULL,
    divisions          BIGINT NOT NULL,
    k                  BIGINT NOT NULL,
    sum_of_squares     HUGEINT NOT NULL,
    class_sizes        BIGINT[] NOT NULL,
    class_counts       BIGINT[] NOT NULL,
    request_id         BIGINT,
    measured_at        TIMESTAMP NOT NULL
);
INSERT INTO observations_anew (id, dataset_version_id, node_hash, rows, divisions, k, sum_of_squares, class_sizes,
                               class_counts, request_id, measured_at)
SELECT id, dataset_version_id, node_hash, rows, divisions, k, sum_of_squares, class_sizes, class_counts, request_id,
       measured_at
FROM observations;
DROP TABLE observations;
ALTER TABLE observations_anew RENAME TO observations;
COMMENT ON TABLE observations IS 'Table C: every node measured, exact for its dataset version and levels';
COMMENT ON COLUMN observations.id IS 'Number of the observation';
COMMENT ON COLUMN observations.dataset_version_id IS 'Dataset version it was measured on';
COMMENT ON COLUMN observations.node_hash IS 'SHA-256 of the columns and level hashes of the node; once for each dataset version';
COMMENT ON COLUMN observations.rows IS 'Rows of the dataset version; its persons, where it tells them apart';
COMMENT ON COLUMN observations.divisions IS 'Number of equivalence classes';
COMMENT ON COLUMN observations.k IS 'Rows (or persons) of the smallest class; 0 if there are no rows';
COMMENT ON COLUMN observations.sum_of_squares IS 'Sum of the squared class sizes';
COMMENT ON COLUMN observations.class_sizes IS 'Histogram: class sizes that occur, ascending; those measured before migration 0003 up to 1,000 only';
COMMENT ON COLUMN observations.class_counts IS 'Histogram: number of classes of the size at the same place of class_sizes';
COMMENT ON COLUMN observations.request_id IS 'Request that measured it; NULL if none did';
COMMENT ON COLUMN observations.measured_at IS 'When it was measured';

CREATE TABLE observation_levels_anew (
    observation_id BIGINT NOT NULL,
    column_name    VARCHAR NOT NULL,
    level          INTEGER NOT NULL,
    level_name     VARCHAR NOT NULL,
    level_hash     VARCHAR NOT NULL
);
INSERT INTO observation_levels_anew (observation_id, column_name, level, level_name, level_hash)
SELECT observation_id, column_name, level, level_name, level_hash FROM observation_levels;
DROP TABLE observation_levels;
ALTER TABLE observation_levels_anew RENAME TO observation_levels;
COMMENT ON TABLE observation_levels IS 'The node of an observation: a row for each attribute below *; what is left out is at *';
COMMENT ON COLUMN observation_levels.observation_id IS 'The observation';
COMMENT ON COLUMN observation_levels.column_name IS 'Column of the dataset, once for each observation';
COMMENT ON COLUMN observation_levels.level IS 'Level number then, for reading by hand';
COMMENT ON COLUMN observation_levels.level_name IS 'Level name then, for reading by hand';
COMMENT ON COLUMN observation_levels.level_hash IS 'Content hash of the level: what the observation is known by';
