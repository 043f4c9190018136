-- The opt-outs since the copy. One row: a dataset with the number of persons added, and of those taken off.
-- after: attach_state, attach_restored
SELECT dataset_name, SUM(added) AS added, SUM(taken_off) AS taken_off
FROM (
    SELECT s.dataset_name, 1 AS added, 0 AS taken_off
    FROM ordermade_state.opt_outs AS s
    WHERE NOT EXISTS (
        SELECT 1 FROM ordermade_restored.opt_outs AS b WHERE b.dataset_name = s.dataset_name AND b.person_hash = s.person_hash
    )
    UNION ALL
    SELECT b.dataset_name, 0, 1
    FROM ordermade_restored.opt_outs AS b
    WHERE NOT EXISTS (
        SELECT 1 FROM ordermade_state.opt_outs AS s WHERE s.dataset_name = b.dataset_name AND s.person_hash = b.person_hash
    )
)
GROUP BY dataset_name
ORDER BY dataset_name
