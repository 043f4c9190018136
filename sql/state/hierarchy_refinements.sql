-- The pairs of levels of a hierarchy of which one refines the other. One row: a pair.
-- $hierarchy_id = 1
SELECT finer, coarser FROM hierarchy_refinements WHERE hierarchy_id = $hierarchy_id ORDER BY finer, coarser
