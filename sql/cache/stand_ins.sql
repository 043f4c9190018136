-- The tables of a workspace that the statements here stand on. One row of `frequency_set`: a cell by its codes, with its
-- number of rows. One row of `marginal`: a value of a column, or a code of a rule, with its number of rows.
CREATE TEMPORARY TABLE frequency_set AS SELECT 1::UTINYINT AS c1, 2::BIGINT AS n;
CREATE TEMPORARY TABLE marginal AS
SELECT 'east' AS key, 'east' AS code, 1 AS leaves, 2::BIGINT AS n, 1.386294361::DECIMAL(38, 9) AS n_log_n
