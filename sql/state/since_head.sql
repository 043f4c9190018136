-- Whether the last entry of the copy's audit stands in the audit of the state replaced, and no random number that both
-- have for the same thing is another: before the first entry every audit is alike. One row: true or false.
-- after: attach_state, attach_restored
SELECT (b.number = 0 OR EXISTS (SELECT 1 FROM ordermade_state.audit AS s WHERE s.id = b.number AND s.hash = b.hash))
       AND NOT EXISTS (
           SELECT 1
           FROM ordermade_restored.opt_out_salts AS was
           JOIN ordermade_state.opt_out_salts AS now ON now.dataset_name = was.dataset_name
           WHERE now.salt <> was.salt
       )
       AND NOT EXISTS (
           SELECT 1
           FROM ordermade_restored.tokens AS was
           JOIN ordermade_state.tokens AS now ON now.id = was.id
           WHERE now.token_hash <> was.token_hash
       ) AS stands
FROM ordermade_restored.audit_head AS b
