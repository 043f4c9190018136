-- Fills a table (stand-in: requests) of a restored state with what the copy has.
-- after: attach_restored
INSERT INTO main.requests SELECT * FROM ordermade_restored.requests
