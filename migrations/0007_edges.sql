-- The least k and the filters of a dataset, datasets described in requests, interrupted requests, how releases end, and
-- labels of hierarchies kept once a class.

ALTER TABLE sources ADD COLUMN header BOOLEAN DEFAULT FALSE;
ALTER TABLE sources ADD COLUMN allow_inline BOOLEAN DEFAULT FALSE;
COMMENT ON COLUMN sources.header IS 'Of CSV files: whether the provider says that their first line holds names';
COMMENT ON COLUMN sources.allow_inline IS 'Whether a request may describe a dataset of this source itself';

ALTER TABLE datasets ADD COLUMN least_k BIGINT DEFAULT 5;
ALTER TABLE datasets ADD COLUMN filters VARCHAR DEFAULT 'any';
COMMENT ON COLUMN datasets.least_k IS 'No request may ask for a smaller k, and no count below it is shown';
COMMENT ON COLUMN datasets.filters IS 'any: requests may filter by every column; columns: by those of dataset_filter_columns; none: by no column';

CREATE TABLE dataset_filter_columns (
    dataset_id  BIGINT NOT NULL REFERENCES datasets (id),
    position    INTEGER NOT NULL,
    column_name VARCHAR NOT NULL,
    PRIMARY KEY (dataset_id, position)
);
COMMENT ON TABLE dataset_filter_columns IS 'Columns that requests may filter a dataset by, where not all of them';
COMMENT ON COLUMN dataset_filter_columns.dataset_id IS 'The dataset';
COMMENT ON COLUMN dataset_filter_columns.position IS 'Place in the list, from 0';
COMMENT ON COLUMN dataset_filter_columns.column_name IS 'Column of the dataset';

ALTER TABLE requests ADD COLUMN run VARCHAR;
ALTER TABLE requests ADD COLUMN interrupted_at TIMESTAMP;
UPDATE requests SET interrupted_at = started_at WHERE status = 'running';
COMMENT ON COLUMN requests.run IS 'Random name of the run whose lock tells whether it is alive; NULL before migration 0007';
COMMENT ON COLUMN requests.interrupted_at IS 'When the request was found to have no process any more; its status is then read as interrupted. Its start, if that was before migration 0007';

CREATE TABLE release_ends (
    release_id    BIGINT PRIMARY KEY REFERENCES releases (id),
    how           VARCHAR NOT NULL CHECK (how IN ('superseded', 'withdrawn')),
    superseded_by BIGINT,
    ended_at      TIMESTAMP NOT NULL
);
COMMENT ON TABLE release_ends IS 'Releases that no longer stand under their name; at most one row a release';
COMMENT ON COLUMN release_ends.release_id IS 'The release';
COMMENT ON COLUMN release_ends.how IS 'superseded: a later release took its place; withdrawn: its process ended before it had its name';
COMMENT ON COLUMN release_ends.superseded_by IS 'The later release; NULL if withdrawn';
COMMENT ON COLUMN release_ends.ended_at IS 'When';

COMMENT ON TABLE hierarchy_values IS 'Labels of an explicit hierarchy: one row for each class of the level below, under its first leaf; before migration 0007 one for each leaf and level from 1 up';
