-- Whether what a source stores may read beyond it: views of other files, foreign tables.
ALTER TABLE sources ADD COLUMN allow_external BOOLEAN;

COMMENT ON COLUMN sources.allow_external IS 'Whether its views and foreign tables may read beyond this source; NULL: no';
