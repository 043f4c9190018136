-- The models of a release by name and parameters, beside their text; those noted before are taken from it.

ALTER TABLE release_privacy ADD COLUMN model VARCHAR;
ALTER TABLE release_privacy ADD COLUMN parameter_names VARCHAR[];
ALTER TABLE release_privacy ADD COLUMN parameter_values VARCHAR[];
COMMENT ON COLUMN release_privacy.model IS 'Name of the model, as a request writes it; NULL for a figure of the whole release';
COMMENT ON COLUMN release_privacy.parameter_names IS 'Names of its parameters, as a request writes them; NULL for a figure of the whole release';
COMMENT ON COLUMN release_privacy.parameter_values IS 'Value of the parameter at the same place of parameter_names, exact; hierarchies by name, and not before migration 0008';

UPDATE release_privacy
SET model = regexp_extract(figure, '^(\w+) \{', 1),
    parameter_names = regexp_extract_all(figure, '(\w+): ', 1),
    parameter_values = regexp_extract_all(figure, ': ([^,}]+)', 1)
WHERE column_name IS NOT NULL AND regexp_matches(figure, '^\w+ \{.*\}$');
