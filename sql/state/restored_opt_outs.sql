-- Fills the opt-outs of a restored state: those of the state replaced, and those of the copy that were taken off since.
-- after: attach_state, attach_restored
INSERT INTO opt_outs
SELECT * FROM ordermade_state.opt_outs
UNION ALL
SELECT b.*
FROM ordermade_restored.opt_outs AS b
ANTI JOIN ordermade_state.opt_outs AS s ON s.dataset_name = b.dataset_name AND s.person_hash = b.person_hash
