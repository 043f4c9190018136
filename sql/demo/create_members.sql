-- Puts the members of the demo into their database. One row is one made-up person.
-- after: attach
CREATE TABLE demo.main.members AS SELECT * FROM dataset
