-- Sends the rows of a query as lines of CSV: a value without quotes that is empty is NULL. `TABLE query` stands for the query.
COPY (TABLE query) TO STDOUT (FORMAT csv)
