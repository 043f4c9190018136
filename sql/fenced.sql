-- A view or query that no row filter is pushed into, for the limit that no dataset reaches: what it calculates is
-- calculated of the same rows, whatever the filter around it. One row is one row of it.
SELECT * FROM dataset LIMIT 9223372036854775807
