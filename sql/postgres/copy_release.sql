-- Takes the rows of a release, as CSV, into its table.
COPY {table} FROM STDIN (FORMAT csv)
