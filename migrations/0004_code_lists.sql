-- Hierarchies that come from a code list in a database.

-- The source, the table and its columns, as JSON; NULL: a hierarchy that came from a file or a program
ALTER TABLE hierarchies ADD COLUMN code_list TEXT;
