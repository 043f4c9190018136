-- Intervals with open ends, and intervals by their bounds.

ALTER TABLE hierarchy_levels ADD COLUMN below VARCHAR;
ALTER TABLE hierarchy_levels ADD COLUMN above VARCHAR;
ALTER TABLE hierarchy_levels ADD COLUMN bounds VARCHAR[];
COMMENT ON COLUMN hierarchy_levels.below IS 'Interval: numbers below it are one class, an exact decimal; NULL where there is no bottom coding';
COMMENT ON COLUMN hierarchy_levels.above IS 'Interval: numbers from it up are one class, an exact decimal; NULL where there is no top coding';
COMMENT ON COLUMN hierarchy_levels.bounds IS 'Interval: the ends of the intervals, rising, exact decimals; NULL where they follow from a width';
