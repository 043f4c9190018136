-- Fills a table (stand-in: requests, its key in place of id) of a restored state with what the copy has, but for rows that
-- the state replaced no longer has: what was erased stays so.
-- after: attach_state, attach_restored
INSERT INTO main.requests
SELECT b.*
FROM ordermade_restored.requests AS b
JOIN ordermade_state.requests AS s USING (id)
