-- Puts the purchases of the demo `purchases` into their database. One row is one purchase of a made-up customer.
-- after: attach
CREATE TABLE demo.main.purchases AS SELECT * FROM dataset
