-- The columns of a relation, with their types. One row is one column. Reads no data.
DESCRIBE SELECT * FROM dataset
