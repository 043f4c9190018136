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
