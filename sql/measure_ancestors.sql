-- The class of each value of a sensitive attribute at each level of a hierarchy, for the connection that measures the
-- written release. One row is one value at one level.
SELECT value_level.value, value_level.level, value_level.ancestor FROM value_level
