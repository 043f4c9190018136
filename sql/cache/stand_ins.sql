-- The table of a workspace that the statements here stand on. One row: a cell by its codes, with its number of rows.
CREATE TEMPORARY TABLE frequency_set AS SELECT 1::UTINYINT AS c1, 2::BIGINT AS n
