-- Fills the opt-outs of a restored state: those of the state replaced, and those of the copy that were taken off since.
-- after: attach_state, attach_restored
INSERT INTO main.opt_outs
SELECT * FROM ordermade_state.opt_outs
UNION ALL
SELECT b.*
FROM ordermade_restored.opt_outs AS b
WHERE NOT EXISTS (
    SELECT 1 FROM ordermade_state.opt_outs AS s WHERE s.dataset_name = b.dataset_name AND s.person_hash = b.person_hash
)
