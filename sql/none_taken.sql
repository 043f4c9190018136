-- The columns of a relation as they are given back, without its rows. One row is one row of that relation, of none.
SELECT dataset.* FROM dataset LIMIT 0
