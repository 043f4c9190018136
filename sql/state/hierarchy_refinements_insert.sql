-- Stores the pairs of levels of which one refines the other; the lists run in parallel, one place a pair.
-- $hierarchy_id = 1
-- $finer = [0]
-- $coarser = [1]
-- after: hierarchy_insert
INSERT INTO hierarchy_refinements (hierarchy_id, finer, coarser)
VALUES ($hierarchy_id, $finer, $coarser)
