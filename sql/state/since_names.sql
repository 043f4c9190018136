-- What is registered under a name (stand-in: sources) otherwise than in the copy. One row: a name, whether the copy has it,
-- and whether the state replaced does.
-- after: attach_state, attach_restored
SELECT COALESCE(b.name, s.name) AS name, NOT b.id IS NULL AS was_there, NOT s.id IS NULL AS is_there
FROM (SELECT id, name FROM ordermade_restored.sources WHERE removed_at IS NULL) AS b
FULL JOIN (SELECT id, name FROM ordermade_state.sources WHERE removed_at IS NULL) AS s ON s.name = b.name
WHERE b.id IS DISTINCT FROM s.id
ORDER BY 1
