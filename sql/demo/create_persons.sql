-- Puts the persons of the demo `recommend` into their database. One row is one made-up person.
-- after: attach
CREATE TABLE demo.main.persons AS SELECT * FROM dataset
