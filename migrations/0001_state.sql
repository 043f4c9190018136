-- The state of ordermade: what the provider registered, what users asked, what was measured and what was released.
-- It holds counts, levels, names and hashes: never a password and never a data value of a person.
-- Times are UTC. What a provider removes keeps its row (removed_at), so that history stays readable.

CREATE SEQUENCE source_ids;
CREATE TABLE sources (
    id         BIGINT PRIMARY KEY DEFAULT nextval('source_ids'),
    name       VARCHAR NOT NULL,
    kind       VARCHAR NOT NULL,
    location   VARCHAR NOT NULL,
    writable   BOOLEAN NOT NULL,
    encoding   VARCHAR,
    added_at   TIMESTAMP NOT NULL,
    removed_at TIMESTAMP
);
COMMENT ON TABLE sources IS 'Registered databases that hold the personal data; a name is unique among those not removed';
COMMENT ON COLUMN sources.id IS 'Number of the source';
COMMENT ON COLUMN sources.name IS 'Name the provider gave it';
COMMENT ON COLUMN sources.kind IS 'duckdb, csv, parquet or another backend';
COMMENT ON COLUMN sources.location IS 'Path or URL as written, ${ENV} references kept; never a password';
COMMENT ON COLUMN sources.writable IS 'Whether a release may be written into it';
COMMENT ON COLUMN sources.encoding IS 'Encoding of its text files; NULL where the kind has none';
COMMENT ON COLUMN sources.added_at IS 'When it was registered';
COMMENT ON COLUMN sources.removed_at IS 'When it was removed; NULL while it is registered';

CREATE SEQUENCE dataset_ids;
CREATE TABLE datasets (
    id            BIGINT PRIMARY KEY DEFAULT nextval('dataset_ids'),
    name          VARCHAR NOT NULL,
    source_id     BIGINT NOT NULL REFERENCES sources (id),
    table_name    VARCHAR,
    query_text    VARCHAR,
    query_hash    VARCHAR,
    entity_column VARCHAR,
    added_at      TIMESTAMP NOT NULL,
    removed_at    TIMESTAMP,
    CHECK ((table_name IS NULL) <> (query_text IS NULL)),
    CHECK ((query_text IS NULL) = (query_hash IS NULL))
);
COMMENT ON TABLE datasets IS 'What may be asked of: one table or query of a source; a name is unique among those not removed';
COMMENT ON COLUMN datasets.id IS 'Number of the dataset';
COMMENT ON COLUMN datasets.name IS 'Name the provider gave it';
COMMENT ON COLUMN datasets.source_id IS 'The source it is in';
COMMENT ON COLUMN datasets.table_name IS 'Its table, or NULL if it is a query';
COMMENT ON COLUMN datasets.query_text IS 'Its query, or NULL if it is a table';
COMMENT ON COLUMN datasets.query_hash IS 'SHA-256 of the query';
COMMENT ON COLUMN datasets.entity_column IS 'Column that tells persons apart where a person has several rows; NULL if a row is a person';
COMMENT ON COLUMN datasets.added_at IS 'When it was registered';
COMMENT ON COLUMN datasets.removed_at IS 'When it was removed; NULL while it is registered';

CREATE TABLE dataset_versions (
    id            BIGINT PRIMARY KEY,
    dataset_hash  VARCHAR NOT NULL,
    dataset_id    BIGINT REFERENCES datasets (id),
    filter        VARCHAR,
    rows          BIGINT NOT NULL,
    hash_sum      HUGEINT NOT NULL,
    columns_hash  VARCHAR NOT NULL,
    first_seen_at TIMESTAMP NOT NULL,
    last_seen_at  TIMESTAMP NOT NULL,
    UNIQUE (dataset_hash, rows, hash_sum, columns_hash)
);
COMMENT ON TABLE dataset_versions IS 'The states a dataset was seen in: another row count or hash sum is another version';
COMMENT ON COLUMN dataset_versions.id IS 'Number made from the content (dataset_hash, rows, hash_sum, columns_hash), so that it means the same in every state and cache';
COMMENT ON COLUMN dataset_versions.dataset_hash IS 'SHA-256 of source, relation and filter: the identity of the dataset';
COMMENT ON COLUMN dataset_versions.dataset_id IS 'The registered dataset; NULL for an inline one';
COMMENT ON COLUMN dataset_versions.filter IS 'The row filter of the request, part of the identity; NULL if none';
COMMENT ON COLUMN dataset_versions.rows IS 'Number of rows';
COMMENT ON COLUMN dataset_versions.hash_sum IS 'Sum of one 64-bit hash per row over all columns';
COMMENT ON COLUMN dataset_versions.columns_hash IS 'SHA-256 of the names and types of the columns';
COMMENT ON COLUMN dataset_versions.first_seen_at IS 'When this version was first measured';
COMMENT ON COLUMN dataset_versions.last_seen_at IS 'When this version was last measured';

CREATE SEQUENCE hierarchy_ids;
CREATE TABLE hierarchies (
    id           BIGINT PRIMARY KEY DEFAULT nextval('hierarchy_ids'),
    name         VARCHAR NOT NULL,
    kind         VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    removed_at   TIMESTAMP
);
COMMENT ON TABLE hierarchies IS 'Generalisation hierarchies; a changed one of the same name is a new row and the old one is removed';
COMMENT ON COLUMN hierarchies.id IS 'Number of the hierarchy';
COMMENT ON COLUMN hierarchies.name IS 'Name the provider gave it; unique among those not removed';
COMMENT ON COLUMN hierarchies.kind IS 'explicit, interval, date or prefix';
COMMENT ON COLUMN hierarchies.content_hash IS 'SHA-256 of kind and levels, not of the name';
COMMENT ON COLUMN hierarchies.added_at IS 'When it was registered';
COMMENT ON COLUMN hierarchies.removed_at IS 'When it was removed or replaced; NULL while it is registered';

CREATE TABLE hierarchy_levels (
    hierarchy_id BIGINT NOT NULL REFERENCES hierarchies (id),
    level        INTEGER NOT NULL,
    name         VARCHAR NOT NULL,
    content_hash VARCHAR NOT NULL,
    origin       VARCHAR,
    width        VARCHAR,
    part         VARCHAR,
    keep         INTEGER,
    mask         VARCHAR,
    length       INTEGER,
    PRIMARY KEY (hierarchy_id, level)
);
COMMENT ON TABLE hierarchy_levels IS 'Levels of a hierarchy, finest first; the last is *';
COMMENT ON COLUMN hierarchy_levels.hierarchy_id IS 'The hierarchy';
COMMENT ON COLUMN hierarchy_levels.level IS 'Level number; 0 = original values';
COMMENT ON COLUMN hierarchy_levels.name IS 'Level name';
COMMENT ON COLUMN hierarchy_levels.content_hash IS 'SHA-256 of the content of the level';
COMMENT ON COLUMN hierarchy_levels.origin IS 'Interval: where the intervals start, an exact decimal';
COMMENT ON COLUMN hierarchy_levels.width IS 'Interval: width of an interval, an exact decimal';
COMMENT ON COLUMN hierarchy_levels.part IS 'Date: day, month, quarter, year or decade';
COMMENT ON COLUMN hierarchy_levels.keep IS 'Prefix: characters kept';
COMMENT ON COLUMN hierarchy_levels.mask IS 'Prefix: what stands for a masked character';
COMMENT ON COLUMN hierarchy_levels.length IS 'Prefix: length the label is filled to';

CREATE TABLE hierarchy_values (
    hierarchy_id BIGINT NOT NULL REFERENCES hierarchies (id),
    leaf_no      INTEGER NOT NULL,
    leaf         VARCHAR,
    level        INTEGER NOT NULL,
    label        VARCHAR,
    PRIMARY KEY (hierarchy_id, leaf_no, level)
);
COMMENT ON TABLE hierarchy_values IS 'Labels of an explicit hierarchy: one row for each leaf and level from 1 up';
COMMENT ON COLUMN hierarchy_values.hierarchy_id IS 'The hierarchy';
COMMENT ON COLUMN hierarchy_values.leaf_no IS 'Number of the leaf in the order of its file, from 0';
COMMENT ON COLUMN hierarchy_values.leaf IS 'Original value as written in the hierarchy (not read from any data); NULL for the path of NULL';
COMMENT ON COLUMN hierarchy_values.level IS 'Level number';
COMMENT ON COLUMN hierarchy_values.label IS 'Label of the leaf at that level';

CREATE TABLE hierarchy_refinements (
    hierarchy_id BIGINT NOT NULL REFERENCES hierarchies (id),
    finer        INTEGER NOT NULL,
    coarser      INTEGER NOT NULL,
    PRIMARY KEY (hierarchy_id, finer, coarser)
);
COMMENT ON TABLE hierarchy_refinements IS 'Which level refines which: a row where every class of the finer level lies in one class of the coarser';
COMMENT ON COLUMN hierarchy_refinements.hierarchy_id IS 'The hierarchy';
COMMENT ON COLUMN hierarchy_refinements.finer IS 'Number of the finer level';
COMMENT ON COLUMN hierarchy_refinements.coarser IS 'Number of the coarser level';

-- No foreign key on dataset_version_id: DuckDB updates a row with a changed key column by deleting and inserting it,
-- which the foreign keys of the tables below forbid. `ordermade state verify` checks it instead.
CREATE SEQUENCE request_ids;
CREATE TABLE requests (
    id                 BIGINT PRIMARY KEY DEFAULT nextval('request_ids'),
    title              VARCHAR NOT NULL,
    request_hash       VARCHAR NOT NULL,
    engine_version     VARCHAR NOT NULL,
    dataset_name       VARCHAR NOT NULL,
    dataset_version_id BIGINT,
    filter             VARCHAR,
    k                  BIGINT NOT NULL,
    algorithm          VARCHAR NOT NULL,
    objective          VARCHAR NOT NULL,
    shape              VARCHAR NOT NULL,
    target_path        VARCHAR,
    target_table       VARCHAR,
    started_at         TIMESTAMP NOT NULL,
    status             VARCHAR NOT NULL CHECK (status IN ('running', 'released', 'refused', 'failed')),
    reason             VARCHAR,
    finished_at        TIMESTAMP,
    nodes_in_lattice   BIGINT,
    nodes_measured     BIGINT,
    divisions_measured BIGINT,
    source_queries     BIGINT,
    version_queries    BIGINT,
    coverage_queries   BIGINT,
    release_queries    BIGINT,
    seconds            DOUBLE
);
COMMENT ON TABLE requests IS 'What was asked for, and what became of it';
COMMENT ON COLUMN requests.id IS 'Number of the request';
COMMENT ON COLUMN requests.title IS 'Title in the request file';
COMMENT ON COLUMN requests.request_hash IS 'SHA-256 of the request as understood';
COMMENT ON COLUMN requests.engine_version IS 'Version of ordermade that ran it';
COMMENT ON COLUMN requests.dataset_name IS 'Dataset asked of, by name, or a word for an inline one';
COMMENT ON COLUMN requests.dataset_version_id IS 'Version it was measured on (dataset_versions.id); NULL until known';
COMMENT ON COLUMN requests.filter IS 'Its where; NULL if none';
COMMENT ON COLUMN requests.k IS 'k asked for';
COMMENT ON COLUMN requests.algorithm IS 'Search algorithm';
COMMENT ON COLUMN requests.objective IS 'What the search optimises';
COMMENT ON COLUMN requests.shape IS 'rows or table';
COMMENT ON COLUMN requests.target_path IS 'File to release to, or NULL';
COMMENT ON COLUMN requests.target_table IS 'Table to release to, or NULL';
COMMENT ON COLUMN requests.started_at IS 'When it started';
COMMENT ON COLUMN requests.status IS 'running, released, refused or failed';
COMMENT ON COLUMN requests.reason IS 'Why it was refused or failed; NULL otherwise';
COMMENT ON COLUMN requests.finished_at IS 'When it ended; NULL while running, and for good if its process was killed';
COMMENT ON COLUMN requests.nodes_in_lattice IS 'Nodes the request accepts';
COMMENT ON COLUMN requests.nodes_measured IS 'Nodes measured by the search';
COMMENT ON COLUMN requests.divisions_measured IS 'Divisions of the measured nodes, summed';
COMMENT ON COLUMN requests.source_queries IS 'Frequency-set, k-check and witness statements';
COMMENT ON COLUMN requests.version_queries IS 'Statements that took the dataset version';
COMMENT ON COLUMN requests.coverage_queries IS 'Statements that checked hierarchy coverage';
COMMENT ON COLUMN requests.release_queries IS 'Statements that wrote and measured the release';
COMMENT ON COLUMN requests.seconds IS 'Wall time in seconds';

CREATE TABLE request_quasi_identifiers (
    request_id        BIGINT NOT NULL REFERENCES requests (id),
    position          INTEGER NOT NULL,
    column_name       VARCHAR NOT NULL,
    hierarchy_name    VARCHAR NOT NULL,
    hierarchy_hash    VARCHAR NOT NULL,
    from_level        INTEGER NOT NULL,
    to_level          INTEGER NOT NULL,
    chosen_level      INTEGER,
    chosen_level_name VARCHAR,
    PRIMARY KEY (request_id, position)
);
COMMENT ON TABLE request_quasi_identifiers IS 'Quasi-identifiers of a request in their order, which is the priority that breaks ties';
COMMENT ON COLUMN request_quasi_identifiers.request_id IS 'The request';
COMMENT ON COLUMN request_quasi_identifiers.position IS 'Place in the request, from 0';
COMMENT ON COLUMN request_quasi_identifiers.column_name IS 'Column of the dataset';
COMMENT ON COLUMN request_quasi_identifiers.hierarchy_name IS 'Its hierarchy, by name';
COMMENT ON COLUMN request_quasi_identifiers.hierarchy_hash IS 'Content hash of the hierarchy then';
COMMENT ON COLUMN request_quasi_identifiers.from_level IS 'Finest level accepted';
COMMENT ON COLUMN request_quasi_identifiers.to_level IS 'Coarsest level accepted';
COMMENT ON COLUMN request_quasi_identifiers.chosen_level IS 'Level released; NULL if nothing was';
COMMENT ON COLUMN request_quasi_identifiers.chosen_level_name IS 'Name of the level released; NULL if nothing was';

CREATE TABLE request_columns (
    request_id  BIGINT NOT NULL REFERENCES requests (id),
    role        VARCHAR NOT NULL CHECK (role IN ('identifier', 'keep')),
    position    INTEGER NOT NULL,
    column_name VARCHAR NOT NULL,
    PRIMARY KEY (request_id, role, position)
);
COMMENT ON TABLE request_columns IS 'Identifiers and kept columns of a request';
COMMENT ON COLUMN request_columns.request_id IS 'The request';
COMMENT ON COLUMN request_columns.role IS 'identifier (never released) or keep (released as it is)';
COMMENT ON COLUMN request_columns.position IS 'Place in its list, from 0';
COMMENT ON COLUMN request_columns.column_name IS 'Column of the dataset';

CREATE SEQUENCE observation_ids;
CREATE TABLE observations (
    id                 BIGINT PRIMARY KEY DEFAULT nextval('observation_ids'),
    dataset_version_id BIGINT NOT NULL REFERENCES dataset_versions (id),
    node_hash          VARCHAR NOT NULL,
    rows               BIGINT NOT NULL,
    divisions          BIGINT NOT NULL,
    k                  BIGINT NOT NULL,
    sum_of_squares     HUGEINT NOT NULL,
    class_sizes        BIGINT[] NOT NULL,
    class_counts       BIGINT[] NOT NULL,
    request_id         BIGINT REFERENCES requests (id),
    measured_at        TIMESTAMP NOT NULL,
    UNIQUE (dataset_version_id, node_hash)
);
COMMENT ON TABLE observations IS 'Table C: every node measured, exact for its dataset version and levels';
COMMENT ON COLUMN observations.id IS 'Number of the observation';
COMMENT ON COLUMN observations.dataset_version_id IS 'Dataset version it was measured on';
COMMENT ON COLUMN observations.node_hash IS 'SHA-256 of the columns and level hashes of the node';
COMMENT ON COLUMN observations.rows IS 'Rows of the dataset version';
COMMENT ON COLUMN observations.divisions IS 'Number of equivalence classes';
COMMENT ON COLUMN observations.k IS 'Rows of the smallest class; 0 if there are no rows';
COMMENT ON COLUMN observations.sum_of_squares IS 'Sum of the squared class sizes';
COMMENT ON COLUMN observations.class_sizes IS 'Histogram: class sizes that occur, ascending, up to 1,000';
COMMENT ON COLUMN observations.class_counts IS 'Histogram: number of classes of the size at the same place of class_sizes';
COMMENT ON COLUMN observations.request_id IS 'Request that measured it; NULL if none did';
COMMENT ON COLUMN observations.measured_at IS 'When it was measured';

CREATE TABLE observation_levels (
    observation_id BIGINT NOT NULL REFERENCES observations (id),
    column_name    VARCHAR NOT NULL,
    level          INTEGER NOT NULL,
    level_name     VARCHAR NOT NULL,
    level_hash     VARCHAR NOT NULL,
    PRIMARY KEY (observation_id, column_name)
);
COMMENT ON TABLE observation_levels IS 'The node of an observation: a row for each attribute below *; what is left out is at *';
COMMENT ON COLUMN observation_levels.observation_id IS 'The observation';
COMMENT ON COLUMN observation_levels.column_name IS 'Column of the dataset';
COMMENT ON COLUMN observation_levels.level IS 'Level number then, for reading by hand';
COMMENT ON COLUMN observation_levels.level_name IS 'Level name then, for reading by hand';
COMMENT ON COLUMN observation_levels.level_hash IS 'Content hash of the level: what the observation is known by';

CREATE SEQUENCE release_ids;
CREATE TABLE releases (
    id              BIGINT PRIMARY KEY DEFAULT nextval('release_ids'),
    request_id      BIGINT NOT NULL REFERENCES requests (id),
    kind            VARCHAR NOT NULL,
    path            VARCHAR,
    table_name      VARCHAR,
    sha256          VARCHAR,
    rows            BIGINT NOT NULL,
    k               BIGINT NOT NULL,
    divisions       BIGINT NOT NULL,
    suppressed_rows BIGINT NOT NULL,
    released_at     TIMESTAMP NOT NULL,
    CHECK ((path IS NULL) <> (table_name IS NULL))
);
COMMENT ON TABLE releases IS 'What came out of the requests';
COMMENT ON COLUMN releases.id IS 'Number of the release';
COMMENT ON COLUMN releases.request_id IS 'The request';
COMMENT ON COLUMN releases.kind IS 'parquet, csv, csv.gz or table';
COMMENT ON COLUMN releases.path IS 'File written, or NULL';
COMMENT ON COLUMN releases.table_name IS 'Table written, or NULL';
COMMENT ON COLUMN releases.sha256 IS 'SHA-256 of the file; NULL for a table';
COMMENT ON COLUMN releases.rows IS 'Rows written';
COMMENT ON COLUMN releases.k IS 'k measured on what was written';
COMMENT ON COLUMN releases.divisions IS 'Equivalence classes measured on what was written';
COMMENT ON COLUMN releases.suppressed_rows IS 'Rows withheld';
COMMENT ON COLUMN releases.released_at IS 'When it was written';

CREATE TABLE release_columns (
    release_id  BIGINT NOT NULL REFERENCES releases (id),
    position    INTEGER NOT NULL,
    column_name VARCHAR NOT NULL,
    role        VARCHAR NOT NULL,
    level       INTEGER,
    level_name  VARCHAR,
    PRIMARY KEY (release_id, position)
);
COMMENT ON TABLE release_columns IS 'Columns of a release, in order';
COMMENT ON COLUMN release_columns.release_id IS 'The release';
COMMENT ON COLUMN release_columns.position IS 'Place of the column, from 0';
COMMENT ON COLUMN release_columns.column_name IS 'Name of the column';
COMMENT ON COLUMN release_columns.role IS 'quasi-identifier, keep or count';
COMMENT ON COLUMN release_columns.level IS 'Level of a quasi-identifier; NULL otherwise';
COMMENT ON COLUMN release_columns.level_name IS 'Level name of a quasi-identifier; NULL otherwise';

CREATE TABLE release_losses (
    release_id BIGINT NOT NULL REFERENCES releases (id),
    metric     VARCHAR NOT NULL,
    value      DOUBLE NOT NULL,
    PRIMARY KEY (release_id, metric)
);
COMMENT ON TABLE release_losses IS 'Information loss of a release, by metric';
COMMENT ON COLUMN release_losses.release_id IS 'The release';
COMMENT ON COLUMN release_losses.metric IS 'Name of the metric: prec, height, divisions, dm, c_avg, aecs, entropy, loss';
COMMENT ON COLUMN release_losses.value IS 'Its value';

CREATE SEQUENCE audit_ids;
CREATE TABLE audit (
    id      BIGINT PRIMARY KEY DEFAULT nextval('audit_ids'),
    happened_at TIMESTAMP NOT NULL,
    actor   VARCHAR NOT NULL,
    action  VARCHAR NOT NULL,
    subject VARCHAR NOT NULL,
    detail  VARCHAR
);
COMMENT ON TABLE audit IS 'Who did what and when; rows are only ever added';
COMMENT ON COLUMN audit.id IS 'Number of the entry';
COMMENT ON COLUMN audit.happened_at IS 'When';
COMMENT ON COLUMN audit.actor IS 'User name on the operating system';
COMMENT ON COLUMN audit.action IS 'What was done, as the command is called';
COMMENT ON COLUMN audit.subject IS 'What it was done to';
COMMENT ON COLUMN audit.detail IS 'More in one line; NULL if there is none';
