-- The stand-in tables that every other file of this folder runs on by hand: `.read stand_ins.sql`, then any other file.
-- One row of `dataset` is one person. The persons are made up. The last statements write `stand_in.csv`, `stand_in.csv.gz`
-- and `stand_in.parquet` into the current folder, for the files that read files.
CREATE TEMPORARY TABLE dataset AS
SELECT * FROM (VALUES
  (1, 'east', 'east', 'basic'), (2, 'east', 'east', 'basic'), (3, 'east', 'east', 'plus'), (4, 'east', 'east', 'plus'),
  (5, 'west', 'west', 'basic'), (6, 'west', 'west', 'plus'), (7, 'west', 'west', 'plus'), (8, 'west', 'west', 'basic'),
  (9, 'west', 'west', 'basic'), (10, NULL, NULL, 'basic')
) AS person(id, qi, code, kept);
ALTER TABLE dataset ADD COLUMN condition BOOLEAN DEFAULT TRUE;

-- One row of `keys` is one value of a quasi-identifier: its cell, and the class of that cell at levels 1 and 2.
CREATE TEMPORARY TABLE keys AS
SELECT * FROM (VALUES ('east', 0, 0, 0), ('west', 1, 1, 0), (NULL, 2, 2, 0)) AS leaf(key, cell, level, top);

-- One row of `marginal` is one value of a quasi-identifier: the rows that have it.
CREATE TEMPORARY TABLE marginal AS
SELECT * FROM (VALUES ('east', 1, 1, 4, 5.545), ('west', 2, 1, 5, 8.047), (NULL, NULL, 1, 1, 0.0))
  AS value(key, code, leaves, n, n_log_n);

-- One row of `code_classes` is one code of a rule: its class at a level, by number.
CREATE TEMPORARY TABLE code_classes AS
SELECT * FROM (VALUES (1, 0, 0), (2, 1, 0), (NULL, 2, 0)) AS code(code, class, top);

-- One row of `frequency_set` is one combination of cells of the quasi-identifiers: n rows have it.
CREATE TEMPORARY TABLE frequency_set AS
SELECT * FROM (VALUES (0, 0, 4), (1, 0, 3), (1, 1, 2), (2, 1, 1)) AS combination(qi, cell, n);

-- One row of `labels` is one value of a quasi-identifier: what is released for it at the chosen level.
CREATE TEMPORARY TABLE labels AS
SELECT * FROM (VALUES ('east', 'E'), ('west', 'W'), (NULL, NULL)) AS label(key, label);

-- One row of `released` is one combination of released values: n rows of the dataset have it.
CREATE TEMPORARY TABLE released AS
SELECT * FROM (VALUES ('E', 'basic', 2), ('E', 'plus', 2), ('W', 'basic', 3), ('W', 'plus', 2)) AS class(value, kept, n);

COPY dataset TO 'stand_in.csv' (FORMAT csv, HEADER TRUE);
COPY dataset TO 'stand_in.csv.gz' (FORMAT csv, HEADER TRUE, COMPRESSION gzip);
COPY dataset TO 'stand_in.parquet' (FORMAT parquet);
