-- What was reckoned outside of the database, as it is put into it. One row is whatever it was there.
SELECT arriving.* FROM dataset AS arriving
