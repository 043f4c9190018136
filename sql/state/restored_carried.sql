-- Fills a table (stand-in: requests) of a restored state with what the state replaced has.
-- after: attach_state
INSERT INTO main.requests SELECT * FROM ordermade_state.requests
