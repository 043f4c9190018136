-- All counts of a node, over relations that are counted once. One row is one size of a histogram: of classes (part 0:
-- size, whether they fail a model) or of the least classes of persons (part 1: size, size where failing counts as 0).
SELECT checked.node, checked.part, checked.size, checked.other, checked.n
FROM (
  SELECT 0 AS node, 0 AS part, class_size.size, 0 AS other, COUNT(*) AS n FROM class_size GROUP BY class_size.size
) AS checked
