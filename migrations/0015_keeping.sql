-- What is erased by the policy of a dataset: files of releases, whose records stay, and what a request was asked with.

ALTER TABLE requests ADD COLUMN erased_at TIMESTAMP;
COMMENT ON COLUMN requests.erased_at IS 'When its title, text, columns and target were erased by policy; NULL while they are there';

CREATE TABLE erased_releases (
    release_id BIGINT PRIMARY KEY,
    erased_at  TIMESTAMP NOT NULL
);
COMMENT ON TABLE erased_releases IS 'Releases whose files were erased by policy; their records stay';
COMMENT ON COLUMN erased_releases.release_id IS 'The release';
COMMENT ON COLUMN erased_releases.erased_at IS 'When';

CREATE TABLE opt_out_salts (
    dataset_name VARCHAR PRIMARY KEY,
    salt         VARCHAR NOT NULL
);
COMMENT ON TABLE opt_out_salts IS 'The salt of each dataset with persons who opted out';
COMMENT ON COLUMN opt_out_salts.dataset_name IS 'Name of the dataset';
COMMENT ON COLUMN opt_out_salts.salt IS 'Random text that is hashed before the value of a person';

CREATE TABLE opt_outs (
    dataset_name VARCHAR NOT NULL,
    person_hash  VARCHAR NOT NULL,
    added_at     TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_name, person_hash)
);
COMMENT ON TABLE opt_outs IS 'Persons who are left out of a dataset before anything is counted';
COMMENT ON COLUMN opt_outs.dataset_name IS 'Name of the dataset';
COMMENT ON COLUMN opt_outs.person_hash IS 'SHA-256 of the salt and the value of the entity column as text';
COMMENT ON COLUMN opt_outs.added_at IS 'When the person was added';
