-- Requests by method: microaggregation beside generalisation. Names, parameters and hashes: never a data value of a person.

ALTER TABLE requests ADD COLUMN method VARCHAR;
ALTER TABLE requests ADD COLUMN options VARCHAR;
COMMENT ON COLUMN requests.method IS 'generalization or microaggregation; NULL before migration 0004, when all were of generalization';
COMMENT ON COLUMN requests.algorithm IS 'Search algorithm, or the method of making groups';
COMMENT ON COLUMN requests.options IS 'Options of the algorithm, in words; NULL if it has none';
COMMENT ON COLUMN requests.objective IS 'What the search optimises, or the loss that groups are made by';
COMMENT ON COLUMN requests.suppression_limit IS 'Share of the rows (or persons) that may be withheld, an exact decimal; NULL before migration 0003 and of microaggregation';
COMMENT ON COLUMN requests.recoding IS 'full-domain or local; NULL before migration 0003 and of microaggregation';
COMMENT ON COLUMN requests.nodes_in_lattice IS 'Nodes the request accepts; NULL where none are searched';
COMMENT ON COLUMN requests.source_queries IS 'Frequency-set, k-check and witness statements, or those that pulled records';
COMMENT ON TABLE request_quasi_identifiers IS 'Generalised columns of a request in their order: quasi-identifiers (the order is the priority that breaks ties), or those that groups are within';
COMMENT ON COLUMN release_columns.level IS 'Level of a generalised column; NULL otherwise';
COMMENT ON COLUMN release_columns.level_name IS 'Level name of a generalised column, aggregate of a microaggregated one; NULL otherwise';

CREATE TABLE request_attributes (
    request_id     BIGINT NOT NULL REFERENCES requests (id),
    position       INTEGER NOT NULL,
    column_name    VARCHAR NOT NULL,
    weight         VARCHAR NOT NULL,
    hierarchy_name VARCHAR,
    hierarchy_hash VARCHAR,
    aggregate      VARCHAR NOT NULL,
    PRIMARY KEY (request_id, position)
);
COMMENT ON TABLE request_attributes IS 'Microaggregated attributes of a request, in its order';
COMMENT ON COLUMN request_attributes.request_id IS 'The request';
COMMENT ON COLUMN request_attributes.position IS 'Place in the request, from 0';
COMMENT ON COLUMN request_attributes.column_name IS 'Column of the dataset';
COMMENT ON COLUMN request_attributes.weight IS 'How much its squared distances count, an exact decimal';
COMMENT ON COLUMN request_attributes.hierarchy_name IS 'Hierarchy that measures its distances, by name; NULL if it is numeric';
COMMENT ON COLUMN request_attributes.hierarchy_hash IS 'Content hash of the hierarchy; NULL if it is numeric';
COMMENT ON COLUMN request_attributes.aggregate IS 'What a group is released with: mean, median, mode or ancestor';
