-- The opt-outs since the copy. One row: a dataset with the number of persons added, and of those taken off.
-- after: attach_state, attach_restored
SELECT COALESCE(s.dataset_name, b.dataset_name) AS dataset_name, COUNT(*) FILTER (b.person_hash IS NULL) AS added,
       COUNT(*) FILTER (s.person_hash IS NULL) AS taken_off
FROM ordermade_state.opt_outs AS s
FULL JOIN ordermade_restored.opt_outs AS b ON b.dataset_name = s.dataset_name AND b.person_hash = s.person_hash
WHERE s.person_hash IS NULL OR b.person_hash IS NULL
GROUP BY 1
ORDER BY 1
