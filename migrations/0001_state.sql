-- The state of ordermade: what the provider registered, what users asked, what was measured and what was released.
-- It holds counts, levels, names and hashes: never a password and never a data value of a person. A SQLite database.
-- What a provider removes keeps its row (removed_at), so that history stays readable.
--
-- Types as columns are declared: TIMESTAMP is a time in UTC, written 2026-01-31 23:59:59.000000; BOOLEAN is 0 or 1;
-- LIST_TEXT is a list, written as JSON; HUGE_TEXT is a whole number of more than 64 bits, in decimal digits.

-- Registered databases that hold the personal data; a name is unique among those not removed
CREATE TABLE sources (
    -- Number of the source
    id INTEGER PRIMARY KEY,
    -- Name the provider gave it
    name TEXT NOT NULL,
    -- duckdb, csv, parquet or another backend
    kind TEXT NOT NULL,
    -- Path or URL as written, ${ENV} references kept; never a password
    location TEXT NOT NULL,
    -- Whether a release may be written into it
    writable BOOLEAN NOT NULL,
    -- Encoding of its text files; NULL where the kind has none
    encoding TEXT,
    -- When it was registered
    added_at TIMESTAMP NOT NULL,
    -- When it was removed; NULL while it is registered
    removed_at TIMESTAMP,
    -- Of CSV files: whether the provider says that their first line holds names
    header BOOLEAN DEFAULT FALSE,
    -- Whether a request may describe a dataset of this source itself
    allow_inline BOOLEAN DEFAULT FALSE,
    -- Whether its views and foreign tables may read beyond this source; NULL: no
    allow_external BOOLEAN
);

-- What may be asked of: one table or query of a source; a name is unique among those not removed
CREATE TABLE datasets (
    -- Number of the dataset
    id INTEGER PRIMARY KEY,
    -- Name the provider gave it
    name TEXT NOT NULL,
    -- The source it is in
    source_id INTEGER NOT NULL REFERENCES sources (id) DEFERRABLE INITIALLY DEFERRED,
    -- Its table, or NULL if it is a query
    table_name TEXT,
    -- Its query, or NULL if it is a table
    query_text TEXT,
    -- SHA-256 of the query
    query_hash TEXT,
    -- Column that tells persons apart where a person has several rows; NULL if a row is a person
    entity_column TEXT,
    -- When it was registered
    added_at TIMESTAMP NOT NULL,
    -- When it was removed; NULL while it is registered
    removed_at TIMESTAMP,
    -- No request may ask for a smaller k, and no count below it is shown
    least_k INTEGER DEFAULT 5,
    -- any: requests may filter by every column; columns: by those of dataset_filter_columns; none: by no column
    filters TEXT DEFAULT 'any',
    -- SELECT of one row that stands for the content of the dataset; NULL where every row is hashed
    version_query TEXT,
    -- Column of which each value is a part; NULL where the dataset is whole, or a file is a part
    parts_column TEXT,
    -- Whether each file of the source is a part
    file_parts BOOLEAN DEFAULT FALSE,
    -- Whether path, size, time of change and footer of a file stand for its rows, which are hashed otherwise
    fingerprint BOOLEAN DEFAULT FALSE,
    -- Names and types of its columns as registered, or as last shown to the provider, as JSON; NULL: never noted
    columns TEXT,
    CHECK ((table_name IS NULL) <> (query_text IS NULL)),
    CHECK ((query_text IS NULL) = (query_hash IS NULL))
);

-- Columns that requests may filter a dataset by, where not all of them
CREATE TABLE dataset_filter_columns (
    -- The dataset
    dataset_id INTEGER NOT NULL REFERENCES datasets (id) DEFERRABLE INITIALLY DEFERRED,
    -- Place in the list, from 0
    position INTEGER NOT NULL,
    -- Column of the dataset
    column_name TEXT NOT NULL,
    PRIMARY KEY (dataset_id, position)
) WITHOUT ROWID;

-- Parts that a dataset was seen with. One row is one content of a part under one row filter
CREATE TABLE dataset_parts (
    -- Hash of source, table or query, row filter and entity, as in dataset_versions
    dataset_hash TEXT NOT NULL,
    -- SHA-256 of the version of the part: its rows and their hashes, or the fingerprint of its file
    content TEXT NOT NULL,
    -- Rows of the part that the row filter leaves
    rows INTEGER NOT NULL,
    -- When it was first seen
    seen_at TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_hash, content)
) WITHOUT ROWID;

-- Columns that the parts of a dataset were counted by, so that a purge finds what is kept of them
CREATE TABLE part_columns (
    -- Hash of the dataset, as in dataset_parts
    dataset_hash TEXT NOT NULL,
    -- SHA-256 of names and types of the columns
    columns TEXT NOT NULL,
    PRIMARY KEY (dataset_hash, columns)
) WITHOUT ROWID;

-- The states a dataset was seen in: another row count or hash sum is another version
CREATE TABLE dataset_versions (
    -- Number made from the content (dataset_hash, rows, hash_sum, columns_hash), so that it means the same in every state and cache
    id INTEGER PRIMARY KEY,
    -- SHA-256 of source, relation and filter: the identity of the dataset
    dataset_hash TEXT NOT NULL,
    -- The registered dataset; NULL for an inline one
    dataset_id INTEGER REFERENCES datasets (id) DEFERRABLE INITIALLY DEFERRED,
    -- The row filter of the request, part of the identity; NULL if none
    filter TEXT,
    -- Number of rows
    rows INTEGER NOT NULL,
    -- Sum of one 64-bit hash per row over all columns; where a query vouches for the version, 128 bits of the SHA-256 of its text and its answer
    hash_sum HUGE_TEXT NOT NULL,
    -- SHA-256 of the names and types of the columns
    columns_hash TEXT NOT NULL,
    -- When this version was first measured
    first_seen_at TIMESTAMP NOT NULL,
    -- When this version was last measured
    last_seen_at TIMESTAMP NOT NULL,
    -- Number of persons, where the dataset tells them apart; NULL if a row is a person
    persons INTEGER,
    -- SHA-256 of the text of the query that vouches for the version; NULL where every row was hashed
    vouched_by TEXT,
    UNIQUE (dataset_hash, rows, hash_sum, columns_hash)
);

-- Columns of a dataset version, in order; none for a version last seen before migration 0002
CREATE TABLE dataset_version_columns (
    -- The dataset version
    dataset_version_id INTEGER NOT NULL REFERENCES dataset_versions (id) DEFERRABLE INITIALLY DEFERRED,
    -- Place of the column, from 0
    position INTEGER NOT NULL,
    -- Name as the source stores it
    column_name TEXT NOT NULL,
    -- SQL type, as the source names it
    column_type TEXT NOT NULL,
    -- Hash of the dataset without row filter in whose every row the column was evaluated first; NULL where it was not
    evaluated_over TEXT,
    PRIMARY KEY (dataset_version_id, position)
) WITHOUT ROWID;

-- Which datasets (with their versions) a registered dataset is, one for each row filter it was asked with
CREATE TABLE dataset_identities (
    -- The registered dataset; two of one table or query share their identities
    dataset_id INTEGER NOT NULL REFERENCES datasets (id) DEFERRABLE INITIALLY DEFERRED,
    -- SHA-256 of source, relation and filter, as in dataset_versions
    dataset_hash TEXT NOT NULL,
    -- The row filter of the request; NULL if none
    filter TEXT,
    PRIMARY KEY (dataset_id, dataset_hash)
) WITHOUT ROWID;

-- Generalisation hierarchies; a changed one of the same name is a new row and the old one is removed
CREATE TABLE hierarchies (
    -- Number of the hierarchy
    id INTEGER PRIMARY KEY,
    -- Name the provider gave it; unique among those not removed
    name TEXT NOT NULL,
    -- explicit, interval, date or prefix
    kind TEXT NOT NULL,
    -- SHA-256 of kind and levels, not of the name
    content_hash TEXT NOT NULL,
    -- When it was registered
    added_at TIMESTAMP NOT NULL,
    -- When it was removed or replaced; NULL while it is registered
    removed_at TIMESTAMP
);

-- Levels of a hierarchy, finest first; the last is *
CREATE TABLE hierarchy_levels (
    -- The hierarchy
    hierarchy_id INTEGER NOT NULL REFERENCES hierarchies (id) DEFERRABLE INITIALLY DEFERRED,
    -- Level number; 0 = original values
    level INTEGER NOT NULL,
    -- Level name
    name TEXT NOT NULL,
    -- SHA-256 of the content of the level
    content_hash TEXT NOT NULL,
    -- Interval: where the intervals start, an exact decimal
    origin TEXT,
    -- Interval: width of an interval, an exact decimal
    width TEXT,
    -- Date: day, month, quarter, year or decade
    part TEXT,
    -- Prefix: characters kept
    keep INTEGER,
    -- Prefix: what stands for a masked character
    mask TEXT,
    -- Prefix: length the label is filled to
    length INTEGER,
    -- Interval: numbers below it are one class, an exact decimal; NULL where there is no bottom coding
    below TEXT,
    -- Interval: numbers from it up are one class, an exact decimal; NULL where there is no top coding
    above TEXT,
    -- Interval: the ends of the intervals, rising, exact decimals; NULL where they follow from a width
    bounds LIST_TEXT,
    PRIMARY KEY (hierarchy_id, level)
) WITHOUT ROWID;

-- Labels of an explicit hierarchy: one row for each class of the level below, under its first leaf; before migration 0007 one for each leaf and level from 1 up
CREATE TABLE hierarchy_values (
    -- The hierarchy
    hierarchy_id INTEGER NOT NULL REFERENCES hierarchies (id) DEFERRABLE INITIALLY DEFERRED,
    -- Number of the leaf in the order of its file, from 0
    leaf_no INTEGER NOT NULL,
    -- Original value as written in the hierarchy (not read from any data); NULL for the path of NULL
    leaf TEXT,
    -- Level number
    level INTEGER NOT NULL,
    -- Label of the leaf at that level
    label TEXT,
    PRIMARY KEY (hierarchy_id, leaf_no, level)
) WITHOUT ROWID;

-- Which level refines which: a row where every class of the finer level lies in one class of the coarser
CREATE TABLE hierarchy_refinements (
    -- The hierarchy
    hierarchy_id INTEGER NOT NULL REFERENCES hierarchies (id) DEFERRABLE INITIALLY DEFERRED,
    -- Number of the finer level
    finer INTEGER NOT NULL,
    -- Number of the coarser level
    coarser INTEGER NOT NULL,
    PRIMARY KEY (hierarchy_id, finer, coarser)
) WITHOUT ROWID;

-- Hierarchies that a request found to cover every value of a column of a dataset version
CREATE TABLE covering_hierarchies (
    -- The dataset version
    dataset_version_id INTEGER NOT NULL REFERENCES dataset_versions (id) DEFERRABLE INITIALLY DEFERRED,
    -- Column of the dataset
    column_name TEXT NOT NULL,
    -- Content hash of the hierarchy
    hierarchy_hash TEXT NOT NULL,
    PRIMARY KEY (dataset_version_id, column_name, hierarchy_hash)
) WITHOUT ROWID;

-- What was asked for, and what became of it
CREATE TABLE requests (
    -- Number of the request
    id INTEGER PRIMARY KEY,
    -- SHA-256 of the request as understood
    request_hash TEXT NOT NULL,
    -- Dataset asked of, by name, or a word for an inline one
    dataset_name TEXT NOT NULL,
    -- Version it was measured on (dataset_versions.id); NULL until known
    dataset_version_id INTEGER REFERENCES dataset_versions (id) DEFERRABLE INITIALLY DEFERRED,
    -- Its where; NULL if none
    filter TEXT,
    -- Random name of the run whose lock tells whether it is alive; NULL of the oldest
    run TEXT,
    -- When it started
    started_at TIMESTAMP NOT NULL,
    -- running, released, refused or failed
    status TEXT NOT NULL,
    -- Why it was refused or failed; NULL otherwise
    reason TEXT,
    -- When it ended; NULL while running, and for good if its process was killed
    finished_at TIMESTAMP,
    -- When the request was found to have no process any more; its status is then read as interrupted
    interrupted_at TIMESTAMP,
    -- When its title, text, columns and target were erased by policy; NULL while they are there
    erased_at TIMESTAMP,
    -- The request as canonical JSON, to ask it again; NULL of the oldest, and once erased
    request TEXT,
    -- All else, as a JSON document: title, method, options, target and columns, then what the search took and the levels chosen
    record TEXT NOT NULL,
    CHECK (status IN ('running', 'released', 'refused', 'failed'))
);

-- Levels of columns that nodes of table C are at, each once
CREATE TABLE measured_levels (
    -- Number of the level of a column
    id INTEGER PRIMARY KEY,
    -- Column of the dataset
    column_name TEXT NOT NULL,
    -- Content hash of the level: what a node is known by
    level_hash TEXT NOT NULL,
    -- Level number then, for reading by hand
    level INTEGER NOT NULL,
    -- Level name then, for reading by hand
    level_name TEXT NOT NULL,
    UNIQUE (column_name, level_hash, level, level_name)
);

-- Table C: every node measured, exact for its dataset version and levels
CREATE TABLE observations (
    -- Number of the observation
    id INTEGER PRIMARY KEY,
    -- Dataset version it was measured on
    dataset_version_id INTEGER NOT NULL REFERENCES dataset_versions (id) DEFERRABLE INITIALLY DEFERRED,
    -- SHA-256 of the columns and level hashes of the node; once for each dataset version
    node_hash TEXT NOT NULL,
    -- The node: numbers of measured_levels in the order of their columns; what is left out is at *
    levels LIST_TEXT NOT NULL,
    -- Rows of the dataset version; its persons, where it tells them apart
    rows INTEGER NOT NULL,
    -- Number of equivalence classes
    divisions INTEGER NOT NULL,
    -- Rows (or persons) of the smallest class; 0 if there are no rows
    k INTEGER NOT NULL,
    -- Sum of the squared class sizes
    sum_of_squares HUGE_TEXT NOT NULL,
    -- Histogram: class sizes that occur, ascending; those measured before migration 0003 up to 1,000 only
    class_sizes LIST_TEXT NOT NULL,
    -- Histogram: number of classes of the size at the same place of class_sizes
    class_counts LIST_TEXT NOT NULL,
    -- Request that measured it; NULL if none did
    request_id INTEGER REFERENCES requests (id) DEFERRABLE INITIALLY DEFERRED,
    -- When it was measured
    measured_at TIMESTAMP NOT NULL,
    UNIQUE (dataset_version_id, node_hash)
);

-- What else was counted at a node: classes that fail models, and the least class of each person
CREATE TABLE observation_models (
    -- The observation
    observation_id INTEGER NOT NULL REFERENCES observations (id) DEFERRABLE INITIALLY DEFERRED,
    -- SHA-256 of the sensitive columns and their models with parameters; empty for k alone
    models_hash TEXT NOT NULL,
    -- Histogram: sizes of the classes that fail the models, ascending; NULL for k alone
    failing_sizes LIST_TEXT,
    -- Histogram: number of failing classes of the size at the same place of failing_sizes
    failing_counts LIST_TEXT,
    -- Histogram: size of the least class of a person (0 if one fails the models); NULL if it was not asked
    least_sizes LIST_TEXT,
    -- Histogram: number of persons with the least class at the same place of least_sizes
    least_counts LIST_TEXT,
    -- Histogram: the most units that a finer node can keep of a class that fails the models, ascending; NULL where it was not measured
    keepable_units LIST_TEXT,
    -- Histogram: number of failing classes with the bound at the same place of keepable_units
    keepable_counts LIST_TEXT,
    PRIMARY KEY (observation_id, models_hash)
) WITHOUT ROWID;

-- What came out of the requests
CREATE TABLE releases (
    -- Number of the release
    id INTEGER PRIMARY KEY,
    -- The request
    request_id INTEGER NOT NULL REFERENCES requests (id) DEFERRABLE INITIALLY DEFERRED,
    -- parquet, csv, csv.gz or table
    kind TEXT NOT NULL,
    -- File written, or NULL
    path TEXT,
    -- Table written, or NULL
    table_name TEXT,
    -- SHA-256 of the file; NULL for a table
    sha256 TEXT,
    -- When it was written
    released_at TIMESTAMP NOT NULL,
    -- What was measured on what was written, as a JSON document: figures, columns, losses and privacy
    measured TEXT NOT NULL,
    CHECK ((path IS NULL) <> (table_name IS NULL))
);

-- Releases that no longer stand under their name; at most one row a release
CREATE TABLE release_ends (
    -- The release
    release_id INTEGER PRIMARY KEY REFERENCES releases (id) DEFERRABLE INITIALLY DEFERRED,
    -- superseded: a later release took its place; withdrawn: its process ended before it had its name
    how TEXT NOT NULL,
    -- The later release; NULL if withdrawn
    superseded_by INTEGER REFERENCES releases (id) DEFERRABLE INITIALLY DEFERRED,
    -- When
    ended_at TIMESTAMP NOT NULL,
    CHECK (how IN ('superseded', 'withdrawn'))
);

-- Releases whose files were erased by policy; their records stay
CREATE TABLE erased_releases (
    -- The release
    release_id INTEGER PRIMARY KEY,
    -- When
    erased_at TIMESTAMP NOT NULL
);

-- Who may act besides the provider at the shell; a name is unique among those not removed
CREATE TABLE users (
    -- Number of the user
    id INTEGER PRIMARY KEY,
    -- Name the provider gave
    name TEXT NOT NULL,
    -- data user, reviewer, provider: one or more
    roles LIST_TEXT NOT NULL,
    -- When the user was added
    added_at TIMESTAMP NOT NULL,
    -- When the user was removed; NULL while not
    removed_at TIMESTAMP
);

-- Tokens by which users act; the token itself is printed once and kept nowhere
CREATE TABLE tokens (
    -- Number of the token
    id INTEGER PRIMARY KEY,
    -- Whose it is
    user_id INTEGER NOT NULL,
    -- SHA-256 of the token
    token_hash TEXT NOT NULL,
    -- Roles that the token may act in: all of its user, or fewer
    scope LIST_TEXT NOT NULL,
    -- When it was made
    made_at TIMESTAMP NOT NULL,
    -- When it stops to be accepted
    expires_at TIMESTAMP NOT NULL,
    -- When it was revoked; NULL while not
    revoked_at TIMESTAMP,
    UNIQUE (token_hash)
);

-- Policies of datasets, every version; the last one of a dataset is in force
CREATE TABLE policies (
    -- Number of the policy
    id INTEGER PRIMARY KEY,
    -- The dataset it is for
    dataset_name TEXT NOT NULL,
    -- Version, from 1, in the order they were set
    version INTEGER NOT NULL,
    -- The policy as canonical JSON
    policy TEXT NOT NULL,
    -- SHA-256 of the policy
    policy_hash TEXT NOT NULL,
    -- When it was set
    set_at TIMESTAMP NOT NULL,
    UNIQUE (dataset_name, version)
);

-- Requests that data users submitted, and where each stands
CREATE TABLE submissions (
    -- Number of the submitted request; its run has a number of its own
    id INTEGER PRIMARY KEY,
    -- Title of the request
    title TEXT NOT NULL,
    -- The dataset it asks of
    dataset_name TEXT NOT NULL,
    -- Name of the user who submitted it, the recipient of its release
    submitted_by TEXT NOT NULL,
    -- State of the lifecycle it is in
    status TEXT NOT NULL,
    -- Number of its revision in force, from 1
    revision INTEGER NOT NULL,
    -- When it was submitted
    submitted_at TIMESTAMP NOT NULL,
    -- When it last moved
    moved_at TIMESTAMP NOT NULL,
    -- When it expires by the policy; NULL if never
    expires_at TIMESTAMP,
    -- The submitted request or the request that it does again on a new version; NULL if none
    supersedes INTEGER,
    -- The request that ran for it last; NULL before
    request_id INTEGER,
    -- The release that came out; NULL before
    release_id INTEGER,
    -- The locked folder beside the state of the process that runs it; NULL while none does
    claim TEXT
);

-- The text of a submitted request at each revision
CREATE TABLE submission_revisions (
    -- The submitted request
    submission_id INTEGER NOT NULL,
    -- Number of the revision, from 1
    revision INTEGER NOT NULL,
    -- The request as YAML
    request TEXT NOT NULL,
    -- SHA-256 of the request
    request_hash TEXT NOT NULL,
    -- SHA-256 of the request with the contents of the hierarchies and files that it names
    meaning_hash TEXT NOT NULL,
    -- What was predicted of it, in words, without counts
    prediction TEXT NOT NULL,
    -- The predicted chance that it passes; NULL if unknown
    chance REAL,
    -- Who made the revision
    made_by TEXT NOT NULL,
    -- When
    made_at TIMESTAMP NOT NULL,
    -- Why, in one line; NULL if none was given
    reason TEXT,
    PRIMARY KEY (submission_id, revision)
) WITHOUT ROWID;

-- Votes of reviewers on a revision; an edit, another policy or another version resets them
CREATE TABLE reviews (
    -- The submitted request
    submission_id INTEGER NOT NULL,
    -- The revision that was reviewed
    revision INTEGER NOT NULL,
    -- Name of the reviewer
    reviewer TEXT NOT NULL,
    -- approve or refuse
    vote TEXT NOT NULL,
    -- Why, in one line; NULL if none was given
    reason TEXT,
    -- The policy in force then; NULL if none
    policy_id INTEGER,
    -- The dataset version then; NULL if it could not be looked at
    dataset_version_id INTEGER,
    -- Hash of what the request meant then, as of its revision
    meaning_hash TEXT NOT NULL,
    -- When
    voted_at TIMESTAMP NOT NULL,
    -- When the vote was reset; NULL while it counts
    reset_at TIMESTAMP,
    PRIMARY KEY (submission_id, revision, reviewer, voted_at),
    CHECK (vote IN ('approve', 'refuse'))
) WITHOUT ROWID;

-- Who accepted which terms of a dataset
CREATE TABLE accepted_terms (
    -- The dataset
    dataset_name TEXT NOT NULL,
    -- Name of the user
    user_name TEXT NOT NULL,
    -- SHA-256 of the terms
    terms_hash TEXT NOT NULL,
    -- When
    accepted_at TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_name, user_name, terms_hash)
) WITHOUT ROWID;

-- Submitted requests that the data refused, or sent back to review
CREATE TABLE data_refusals (
    -- Number of the refusal
    id INTEGER PRIMARY KEY,
    -- The submitted request
    submission_id INTEGER NOT NULL,
    -- Its revision that was in force
    revision INTEGER NOT NULL,
    -- The dataset
    dataset_name TEXT NOT NULL,
    -- The user who submitted it
    user_name TEXT NOT NULL,
    -- When
    refused_at TIMESTAMP NOT NULL,
    -- Why, in words for the provider; empty once erased
    reason TEXT NOT NULL,
    -- Whether it was no decision of the data, as an outage of a server is none; NULL: it counts
    uncounted BOOLEAN
);

-- Forecasts that were given of requests; what came out is in the request of the same hash that ran next
CREATE TABLE forecasts (
    -- Number of the forecast
    id INTEGER PRIMARY KEY,
    -- SHA-256 of the request as understood, as in requests
    request_hash TEXT NOT NULL,
    -- Dataset it asks of, by name, or a word for an inline one
    dataset_name TEXT NOT NULL,
    -- Version that the forecast rests on; NULL if none was ever seen
    dataset_version_id INTEGER,
    -- The predictor; NULL where too little was known for any
    predictor TEXT,
    -- Probability, 0 to 1, that the request is released; NULL if unknown
    chance REAL,
    -- Whether the chance is proved, and so 0 or 1
    proved BOOLEAN NOT NULL,
    -- k expected of the node expected; NULL if none
    k REAL,
    -- Nodes that the search is expected to measure; NULL if unknown
    questions REAL,
    -- Seconds that the run is expected to take; NULL if unknown
    seconds REAL,
    -- Number and name of the level expected of each column, as JSON by column; none where no node is expected to pass
    levels TEXT NOT NULL,
    -- When it was given
    made_at TIMESTAMP NOT NULL
);

-- Certificates that were written, by their hashes
CREATE TABLE certificates (
    -- Number of the certificate
    id INTEGER PRIMARY KEY,
    -- The request whose result it is about; NULL where none was noted
    request_id INTEGER,
    -- File written
    path TEXT NOT NULL,
    -- SHA-256 of the file
    sha256 TEXT NOT NULL,
    -- When it was written
    written_at TIMESTAMP NOT NULL
);

-- Lists of offers that no budget ended: what passes instead of a refused request
CREATE TABLE offer_lists (
    -- Number of the list
    id INTEGER PRIMARY KEY,
    -- The refused request that it was made for
    request_id INTEGER NOT NULL REFERENCES requests (id) DEFERRABLE INITIALLY DEFERRED,
    -- Dataset version its figures are of
    dataset_version_id INTEGER NOT NULL REFERENCES dataset_versions (id) DEFERRABLE INITIALLY DEFERRED,
    -- SHA-256 of the refused request, its hierarchies and the terms of its dataset
    list_hash TEXT NOT NULL,
    -- Version of the engine that made it
    engine_version TEXT NOT NULL,
    -- The concession of each offer with its figures, as JSON
    offers TEXT NOT NULL,
    -- How the list falls short, in words, as JSON
    left_out TEXT NOT NULL
);

-- The salt of each dataset with persons who opted out
CREATE TABLE opt_out_salts (
    -- Name of the dataset
    dataset_name TEXT PRIMARY KEY NOT NULL,
    -- Random text that is hashed before the value of a person
    salt TEXT NOT NULL
);

-- Persons who are left out of a dataset before anything is counted
CREATE TABLE opt_outs (
    -- Name of the dataset
    dataset_name TEXT NOT NULL,
    -- SHA-256 of the salt and the value of the entity column as text
    person_hash TEXT NOT NULL,
    -- When the person was added
    added_at TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_name, person_hash)
) WITHOUT ROWID;

-- Who did what and when; rows are only ever added
CREATE TABLE audit (
    -- Number of the entry
    id INTEGER PRIMARY KEY,
    -- When
    happened_at TIMESTAMP NOT NULL,
    -- User name on the operating system
    actor TEXT NOT NULL,
    -- What was done, as the command is called
    action TEXT NOT NULL,
    -- What it was done to
    subject TEXT NOT NULL,
    -- More in one line; NULL if there is none
    detail TEXT,
    -- The rows that a step of the service wrote, as canonical JSON; NULL of other entries
    data TEXT,
    -- SHA-256 of the hash of the entry before, a line feed and the entry as canonical JSON
    hash TEXT
);

-- The last entry of the audit; one row
CREATE TABLE audit_head (
    -- Its number; 0 before the first
    number INTEGER NOT NULL,
    -- Its hash; zeros before the first
    hash TEXT NOT NULL
);

-- Seals of the rows of the other tables, as they were written; the last one of a row is in force
CREATE TABLE seals (
    -- Table of the row
    table_name TEXT NOT NULL,
    -- First column of its key; 0 where that is no whole number
    owner INTEGER NOT NULL,
    -- The other columns of its key, with commas between them; empty where there are none
    part TEXT NOT NULL,
    -- The first 64 bits of the SHA-256 of its content
    seal INTEGER NOT NULL,
    PRIMARY KEY (table_name, owner, part)
) WITHOUT ROWID;

INSERT INTO audit_head (number, hash)
VALUES (0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE INDEX requests_by_hash ON requests (request_hash);
CREATE INDEX requests_by_dataset ON requests (dataset_name);
CREATE INDEX requests_by_version ON requests (dataset_version_id);
CREATE INDEX requests_by_run ON requests (run);
CREATE INDEX releases_by_request ON releases (request_id);
CREATE INDEX releases_by_path ON releases (path);
CREATE INDEX releases_by_table ON releases (table_name);
CREATE INDEX forecasts_by_hash ON forecasts (request_hash);
CREATE INDEX versions_by_identity ON dataset_versions (dataset_hash, last_seen_at);
CREATE INDEX levels_by_content ON hierarchy_levels (content_hash);
CREATE INDEX offer_lists_by_list ON offer_lists (dataset_version_id, list_hash);
CREATE INDEX audit_by_subject ON audit (subject);
