-- What is registered under a name (stand-in: sources) otherwise than in the copy. One row: a name, whether the copy has it,
-- and whether the state replaced does.
-- after: attach_state, attach_restored
SELECT b.name, TRUE AS was_there, s.id IS NOT NULL AS is_there
FROM ordermade_restored.sources AS b
LEFT JOIN ordermade_state.sources AS s ON s.name = b.name AND s.removed_at IS NULL
WHERE b.removed_at IS NULL AND b.id IS NOT s.id
UNION ALL
SELECT s.name, FALSE, TRUE
FROM ordermade_state.sources AS s
WHERE s.removed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM ordermade_restored.sources AS b WHERE b.removed_at IS NULL AND b.name = s.name)
ORDER BY 1
