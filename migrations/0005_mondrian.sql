-- Requests whose records Mondrian splits. Names, parameters and hashes: never a data value of a person.

COMMENT ON COLUMN requests.method IS 'generalization, microaggregation or mondrian; NULL before migration 0004, when all were of generalization';
COMMENT ON COLUMN requests.algorithm IS 'Search algorithm, the method of making groups, or the variant of Mondrian';
COMMENT ON COLUMN requests.options IS 'Options of the algorithm, in words; NULL if it has none. Rules are their number and the SHA-256 of what they say';
COMMENT ON COLUMN requests.objective IS 'What the search optimises, the loss that groups are made by, or what splits are chosen by';
COMMENT ON COLUMN requests.suppression_limit IS 'Share of the rows (or persons) that may be withheld, an exact decimal; NULL before migration 0003 and of other methods than generalization';
COMMENT ON COLUMN requests.recoding IS 'full-domain or local; NULL before migration 0003 and of other methods than generalization';
COMMENT ON COLUMN release_columns.level IS 'Level of a generalised column; NULL otherwise, and where rows are at several';
COMMENT ON COLUMN release_columns.level_name IS 'Level name of a generalised column (mixed where rows are at several), aggregate of a microaggregated one, labels of one that was split without levels; NULL otherwise';

CREATE TABLE request_splits (
    request_id     BIGINT NOT NULL REFERENCES requests (id),
    position       INTEGER NOT NULL,
    column_name    VARCHAR NOT NULL,
    kind           VARCHAR NOT NULL,
    hierarchy_name VARCHAR,
    hierarchy_hash VARCHAR,
    finest_level   INTEGER,
    PRIMARY KEY (request_id, position)
);
COMMENT ON TABLE request_splits IS 'Quasi-identifiers of a request for Mondrian in their order, which is the priority that breaks ties';
COMMENT ON COLUMN request_splits.request_id IS 'The request';
COMMENT ON COLUMN request_splits.position IS 'Place in the request, from 0';
COMMENT ON COLUMN request_splits.column_name IS 'Column of the dataset';
COMMENT ON COLUMN request_splits.kind IS 'nested (split along its hierarchy), ordered (numbers or dates, cut in two), tree (cut in two in the order of its hierarchy) or unordered (parted into two sets)';
COMMENT ON COLUMN request_splits.hierarchy_name IS 'Its hierarchy, by name; NULL if it has none';
COMMENT ON COLUMN request_splits.hierarchy_hash IS 'Content hash of the hierarchy then; NULL if it has none';
COMMENT ON COLUMN request_splits.finest_level IS 'Finest level accepted of one that is split along its hierarchy; NULL of the others';
