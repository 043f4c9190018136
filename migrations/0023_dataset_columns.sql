-- The columns of a dataset as they were when it was registered, by which a user's request is checked: no source is opened.
ALTER TABLE datasets ADD COLUMN columns VARCHAR;
COMMENT ON COLUMN datasets.columns IS 'Names and types of its columns as registered, or as last shown to the provider, as JSON; NULL: they were never noted';
