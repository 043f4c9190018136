-- What is asked and measured beyond k: what may be withheld, models of sensitive attributes, risks, persons with several
-- rows. All of it is counts, parameters, names and hashes: never a data value of a person.

ALTER TABLE dataset_versions ADD COLUMN persons BIGINT;
COMMENT ON COLUMN dataset_versions.persons IS 'Number of persons, where the dataset tells them apart; NULL if a row is a person';

ALTER TABLE requests ADD COLUMN suppression_limit VARCHAR;
ALTER TABLE requests ADD COLUMN withheld VARCHAR;
ALTER TABLE requests ADD COLUMN recoding VARCHAR;
ALTER TABLE requests ADD COLUMN risk VARCHAR;
ALTER TABLE requests ADD COLUMN weights VARCHAR;
ALTER TABLE requests ADD COLUMN entity_column VARCHAR;
COMMENT ON COLUMN requests.suppression_limit IS 'Share of the rows (or persons) that may be withheld, an exact decimal; NULL before migration 0003';
COMMENT ON COLUMN requests.withheld IS 'drop or star: what becomes of withheld rows; NULL if none may be withheld';
COMMENT ON COLUMN requests.recoding IS 'full-domain or local; NULL before migration 0003';
COMMENT ON COLUMN requests.risk IS 'Risks asked for, in words; NULL if none were';
COMMENT ON COLUMN requests.weights IS 'Weights of the columns in the objective, in words; NULL if none were given';
COMMENT ON COLUMN requests.entity_column IS 'Column that tells persons apart; NULL if a row is a person';

CREATE TABLE request_sensitive (
    request_id  BIGINT NOT NULL REFERENCES requests (id),
    position    INTEGER NOT NULL,
    column_name VARCHAR NOT NULL,
    models      VARCHAR NOT NULL,
    PRIMARY KEY (request_id, position)
);
COMMENT ON TABLE request_sensitive IS 'Sensitive columns of a request, in its order';
COMMENT ON COLUMN request_sensitive.request_id IS 'The request';
COMMENT ON COLUMN request_sensitive.position IS 'Place in the request, from 0';
COMMENT ON COLUMN request_sensitive.column_name IS 'Column of the dataset';
COMMENT ON COLUMN request_sensitive.models IS 'Its models with their parameters, in words';

COMMENT ON COLUMN observations.rows IS 'Rows of the dataset version; its persons, where it tells them apart';
COMMENT ON COLUMN observations.k IS 'Rows (or persons) of the smallest class; 0 if there are no rows';
COMMENT ON COLUMN observations.class_sizes IS 'Histogram: class sizes that occur, ascending; those measured before migration 0003 up to 1,000 only';

-- Without a foreign key, as observation_levels: an observation is forgotten with these in one transaction.
CREATE TABLE observation_models (
    observation_id BIGINT NOT NULL,
    models_hash    VARCHAR NOT NULL,
    failing_sizes  BIGINT[],
    failing_counts BIGINT[],
    least_sizes    BIGINT[],
    least_counts   BIGINT[],
    PRIMARY KEY (observation_id, models_hash)
);
COMMENT ON TABLE observation_models IS 'What else was counted at a node: classes that fail models, and the least class of each person';
COMMENT ON COLUMN observation_models.observation_id IS 'The observation';
COMMENT ON COLUMN observation_models.models_hash IS 'SHA-256 of the sensitive columns and their models with parameters; empty for k alone';
COMMENT ON COLUMN observation_models.failing_sizes IS 'Histogram: sizes of the classes that fail the models, ascending; NULL for k alone';
COMMENT ON COLUMN observation_models.failing_counts IS 'Histogram: number of failing classes of the size at the same place of failing_sizes';
COMMENT ON COLUMN observation_models.least_sizes IS 'Histogram: size of the least class of a person (0 if one fails the models); NULL if it was not asked';
COMMENT ON COLUMN observation_models.least_counts IS 'Histogram: number of persons with the least class at the same place of least_sizes';

ALTER TABLE releases ADD COLUMN persons BIGINT;
ALTER TABLE releases ADD COLUMN suppressed_persons BIGINT;
ALTER TABLE releases ADD COLUMN star_rows BIGINT;
COMMENT ON COLUMN releases.persons IS 'Persons released; NULL if a row is a person';
COMMENT ON COLUMN releases.suppressed_persons IS 'Persons with a row withheld; NULL if a row is a person';
COMMENT ON COLUMN releases.star_rows IS 'Withheld rows that were released as * in every column; NULL if none may be';
COMMENT ON COLUMN release_columns.role IS 'quasi-identifier, sensitive, keep, pseudonym or count';
COMMENT ON COLUMN release_losses.metric IS 'Name of the metric, as in the reference of losses';

CREATE TABLE release_privacy (
    release_id  BIGINT NOT NULL REFERENCES releases (id),
    position    INTEGER NOT NULL,
    column_name VARCHAR,
    figure      VARCHAR NOT NULL,
    value       DOUBLE,
    PRIMARY KEY (release_id, position)
);
COMMENT ON TABLE release_privacy IS 'Privacy of a release beyond k, as it was measured on what was written';
COMMENT ON COLUMN release_privacy.release_id IS 'The release';
COMMENT ON COLUMN release_privacy.position IS 'Place in its list, from 0';
COMMENT ON COLUMN release_privacy.column_name IS 'Sensitive column; NULL for a figure of the whole release';
COMMENT ON COLUMN release_privacy.figure IS 'What was measured: a model with its parameters, or a risk';
COMMENT ON COLUMN release_privacy.value IS 'Its value in the worst class, or of the whole release';
