-- The statistical table: one row is one class, with its count.
SELECT released.value, released.n AS "count" FROM released
