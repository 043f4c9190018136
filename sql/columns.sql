-- Which columns does a relation have, and of what type? One row is one column. Reads no data.
DESCRIBE SELECT * FROM dataset
