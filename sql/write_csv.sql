-- Writes a release as CSV with a header; NULL is an empty field, an empty text is two quotes. One row is one person, or
-- one class of a statistical table.
COPY (SELECT released.value FROM released) TO 'released.csv' (FORMAT csv, HEADER TRUE, USE_TMP_FILE FALSE)
