-- Which level of a hierarchy refines which? One row: a pair.
-- $hierarchy_id = 1
SELECT finer, coarser FROM hierarchy_refinements WHERE hierarchy_id = $hierarchy_id ORDER BY finer, coarser
