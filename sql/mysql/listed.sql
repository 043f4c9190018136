-- The rows of a table of the workspace, each once, from one bound JSON text of lists: `c0` stands for each of its columns.
-- MariaDB looks the rows of a DISTINCT list up by a key, which it makes itself. One row is one list.
SELECT DISTINCT listed.c0 FROM JSON_TABLE(:rows, '$[*]' COLUMNS (c0 BIGINT PATH '$[0]')) AS listed
