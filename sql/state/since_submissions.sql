-- The submitted requests that were submitted or moved since the copy. One row: the number of one, and whether it has come
-- to stand there since.
-- after: attach_state, attach_restored
SELECT s.id, s.status IS NOT b.status AS is_new_there
FROM ordermade_state.submissions AS s
LEFT JOIN ordermade_restored.submissions AS b ON b.id = s.id
WHERE b.id IS NULL OR s.moved_at <> b.moved_at OR s.status <> b.status OR s.revision <> b.revision
ORDER BY s.id
