-- The unit of numbers in intervals, whose labels are those of Japanese tables then.

-- Interval: the unit of its labels, such as 歳; NULL: labels without one
ALTER TABLE hierarchy_levels ADD COLUMN unit TEXT;
