-- What finer nodes can keep of the classes that fail a model, under a suppression limit.

ALTER TABLE observation_models ADD COLUMN keepable_units BIGINT[];
ALTER TABLE observation_models ADD COLUMN keepable_counts BIGINT[];
COMMENT ON COLUMN observation_models.keepable_units IS 'Histogram: the most units that a finer node can keep of a class that fails the models, ascending; NULL where it was not measured';
COMMENT ON COLUMN observation_models.keepable_counts IS 'Histogram: number of failing classes with the bound at the same place of keepable_units';
