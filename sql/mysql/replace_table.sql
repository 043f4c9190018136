-- Gives a table the name of another, which is called `gone` from then on, in one step. Gives no row.
RENAME TABLE {table} TO {gone}, {made} TO {table}
