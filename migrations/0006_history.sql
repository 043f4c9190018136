-- Requests for purchase histories. Names, parameters and hashes: never a data value of a person.

COMMENT ON COLUMN requests.method IS 'generalization, microaggregation, mondrian or history; NULL before migration 0004, when all were of generalization';
COMMENT ON COLUMN requests.algorithm IS 'Search algorithm, the method of making groups, the variant of Mondrian, or what purchases are matched by';
COMMENT ON COLUMN requests.objective IS 'What the search optimises, the loss that groups are made by, what splits are chosen by, or what customers are clustered by';
COMMENT ON COLUMN requests.options IS 'Options of the algorithm, in words; NULL if it has none. Rules are their number and the SHA-256 of what they say, a taxonomy is the SHA-256 of what it says';

CREATE TABLE request_history (
    request_id     BIGINT NOT NULL REFERENCES requests (id),
    position       INTEGER NOT NULL,
    column_name    VARCHAR NOT NULL,
    role           VARCHAR NOT NULL,
    unit           VARCHAR,
    sort_place     INTEGER,
    taxonomy_file  VARCHAR,
    taxonomy_hash  VARCHAR,
    taxonomy_level INTEGER,
    PRIMARY KEY (request_id, position)
);
COMMENT ON TABLE request_history IS 'Columns of a request for histories: the customer, when, the item, then the numbers in its order';
COMMENT ON COLUMN request_history.request_id IS 'The request';
COMMENT ON COLUMN request_history.position IS 'Place in the request, from 0';
COMMENT ON COLUMN request_history.column_name IS 'Column of the dataset';
COMMENT ON COLUMN request_history.role IS 'customer, when, item or number';
COMMENT ON COLUMN request_history.unit IS 'Least step between two values of a number, an exact decimal; NULL of the others, and where the values were to tell';
COMMENT ON COLUMN request_history.sort_place IS 'Place of a number among those that purchases are put in order by, from 0; NULL if it is none of them';
COMMENT ON COLUMN request_history.taxonomy_file IS 'File of the taxonomy of the items, as the request named it; NULL of the others, and if it named none';
COMMENT ON COLUMN request_history.taxonomy_hash IS 'SHA-256 of what the file said then; NULL if there is none';
COMMENT ON COLUMN request_history.taxonomy_level IS 'Level of the taxonomy that is released; NULL if there is none';
