-- A relation computed outside of the database, as it is put into it. One row is one row of that relation.
SELECT arriving.* FROM dataset AS arriving
