-- The stand-in tables that the statements of the other files run on by hand: `.read stand_ins.sql`, then any of them.
-- One row of `dataset` is one person. The persons are made up. Near the end `stand_in.csv`, `stand_in.csv.gz` and
-- `stand_in.parquet` are written into the current folder, for the statements that read files.
CREATE TEMPORARY TABLE dataset AS
SELECT * FROM (VALUES
  (1, 'east', 'east', 'basic'), (2, 'east', 'east', 'basic'), (3, 'east', 'east', 'plus'), (4, 'east', 'east', 'plus'),
  (5, 'west', 'west', 'basic'), (6, 'west', 'west', 'plus'), (7, 'west', 'west', 'plus'), (8, 'west', 'west', 'basic'),
  (9, 'west', 'west', 'basic'), (10, NULL, NULL, 'basic')
) AS person(id, qi, code, kept);
ALTER TABLE dataset ADD COLUMN condition BOOLEAN DEFAULT TRUE;

-- The rows that a row filter leaves out, or that another one lets pass.
CREATE TEMPORARY TABLE others AS SELECT * FROM dataset WHERE id > 5;

-- One row of `keys` is one value of a quasi-identifier: its cell, and the class of that cell at levels 1 and 2.
CREATE TEMPORARY TABLE keys AS
SELECT * FROM (VALUES ('east', 0, 0, 0), ('west', 1, 1, 0), (NULL, 2, 2, 0)) AS leaf(key, cell, level, top);

-- One row of `marginal` is one value of a quasi-identifier: the rows that have it.
CREATE TEMPORARY TABLE marginal AS
SELECT * FROM (VALUES ('east', 1, 1, 4, 5.545), ('west', 2, 1, 5, 8.047), (NULL, NULL, 1, 1, 0.0))
  AS value(key, code, leaves, n, n_log_n);

-- One row of `code_classes` is one code of a rule: its cell, and its class at a level, by number.
CREATE TEMPORARY TABLE code_classes AS
SELECT * FROM (VALUES (1, 0, 0, 0), (2, 1, 0, 1), (NULL, 2, 0, 2)) AS code(code, class, top, cell);

-- One row of `frequency_set` is one combination of cells of the quasi-identifiers: n rows have it.
CREATE TEMPORARY TABLE frequency_set AS
SELECT * FROM (VALUES (0, 0, 4), (1, 0, 3), (1, 1, 2), (2, 1, 1)) AS combination(qi, cell, n);

-- One row of `persons` is one person of a dataset where one may have several rows: a number, the rows, and two texts.
CREATE TEMPORARY TABLE persons AS
SELECT * FROM (VALUES (1, 1, 2, '1', '1'), (2, 2, 3, '2', '2'), (3, 3, 5, '3', '3')) AS person(key, code, n, text, written);

-- Where persons are counted, a row of `frequency_set` is a combination of one `person`; one row of `worded` is the same of
-- persons with several, packed, of `repeated` one that is not the first of its person, with the bits of earlier ones.
ALTER TABLE frequency_set ADD COLUMN person BIGINT;
ALTER TABLE frequency_set ADD COLUMN rows BIGINT DEFAULT 1;
CREATE TEMPORARY TABLE worded AS
SELECT * FROM (VALUES (1, 2, 0), (1, 2, 1), (2, 2, 1), (2, 2, 2)) AS combination(person, combinations, word);
CREATE TEMPORARY TABLE repeated AS SELECT 1 AS word, 0 AS repeated;

-- One row of `packed` is one combination of cells: the classes of its levels side by side in the bits of a number, and a
-- bit for each value of a sensitive attribute that occurs in it.
CREATE TEMPORARY TABLE packed AS SELECT * FROM (VALUES (1, 4, 3), (18, 5, 2), (35, 1, 1)) AS combination(word, n, value);

-- One row of `failing` is one class that fails a model; of `keepable` one class and the units that finer nodes can keep of
-- it; of `owned` one combination in its class, with the person whose it is (NULL: of n persons who have no other).
CREATE TEMPORARY TABLE failing AS SELECT 1 AS class;
CREATE TEMPORARY TABLE keepable AS SELECT 1 AS class, 3 AS units;
CREATE TEMPORARY TABLE owned AS
SELECT * FROM (VALUES (0, 1, 1), (0, NULL, 3), (1, 1, 1)) AS part(class, owner, n);

-- One row of `labels` is one value of a quasi-identifier: its label at the chosen level.
CREATE TEMPORARY TABLE labels AS
SELECT * FROM (VALUES ('east', 'E'), ('west', 'W'), (NULL, NULL)) AS label(key, label);

-- One row of `label_cells` is one cell of an attribute at one level, with its label there.
CREATE TEMPORARY TABLE label_cells AS
SELECT * FROM (VALUES (0, 0, 'E'), (1, 0, 'west'), (0, 1, 'E'), (1, 1, 'E')) AS cell(cell, level, label);

-- One row of `released` is one combination of released values: n rows of the dataset have it.
CREATE TEMPORARY TABLE released AS
SELECT * FROM (VALUES
  ('E', 'basic', 1, 2, FALSE), ('E', 'plus', 2, 2, FALSE), ('W', 'basic', 3, 3, FALSE), ('W', 'plus', 3, 2, FALSE)
) AS class(value, kept, person, n, star);

-- The relations that decide a release with sensitive attributes and persons. One row of `counted` is one combination of
-- released values, of one person; of `classes` one class; of `numbered` one combination with its class; of `sensitive`
-- one value of a sensitive attribute by its number; of `suppressed` one class that is not released; of `decided` one
-- combination and whether it is suppressed; of `pseudonyms` one person; of `shown` one combination to be written.
CREATE TEMPORARY TABLE counted AS SELECT released.value, released.kept, released.person, released.n FROM released;
CREATE TEMPORARY TABLE classes AS SELECT * FROM (VALUES (1, 'E', 4), (2, 'W', 5)) AS class(class, value, units);
CREATE TEMPORARY TABLE numbered AS
SELECT classes.class, counted.value, counted.kept, counted.person, counted.n
FROM counted JOIN classes ON counted.value = classes.value;
CREATE TEMPORARY TABLE sensitive AS SELECT * FROM (VALUES ('E', 0, 4), ('W', 1, 5)) AS sensitive(key, cell, n);
CREATE TEMPORARY TABLE suppressed AS SELECT 1 AS class;
CREATE TEMPORARY TABLE decided AS
SELECT counted.value, counted.person, counted.n, counted.value = 'E' AS suppressed FROM counted;
CREATE TEMPORARY TABLE pseudonyms AS SELECT 3 AS person, 1 AS number;
CREATE TEMPORARY TABLE shown AS SELECT 'W' AS value, 5 AS n;

-- The row of `missing_value` is the number of NULL among the values of a sensitive attribute.
CREATE TEMPORARY TABLE missing_value AS
SELECT 1 AS value;

-- One row of `class_value` is one value of a sensitive attribute in one class: n rows have it.
CREATE TEMPORARY TABLE class_value AS
SELECT * FROM (VALUES (0, 0, 2), (0, 1, 2), (1, 0, 3), (1, 1, 2), (2, 0, 1)) AS part(class, value, n);

-- One row of `class_size` is one class: the persons in it.
CREATE TEMPORARY TABLE class_size AS
SELECT * FROM (VALUES (0, 4), (1, 5), (2, 1)) AS class(class, size);

-- One row of `table_value` is one value of a sensitive attribute, numbered in the order of the values: n rows have it.
CREATE TEMPORARY TABLE table_value AS
SELECT * FROM (VALUES (0, 6), (1, 4)) AS whole(value, n);

-- One row of `value_level` is one value of a sensitive attribute at one level below `*`: the class it belongs to there.
CREATE TEMPORARY TABLE value_level AS
SELECT * FROM (VALUES (0, 0, 0), (1, 0, 1), (0, 1, 0), (1, 1, 0)) AS place(value, level, ancestor);

-- One row of `figures` is one class: its figure under one model of a sensitive attribute.
CREATE TEMPORARY TABLE figures AS
SELECT * FROM (VALUES (0, 0.1), (1, 0.0), (2, 0.4)) AS class(class, figure);

-- The relations of local recoding. One row of `local_counted` is one combination of cells and values; of `local_combos` one
-- combination of cells by number; of `local_remaining` one that is still to be released; of `local_round` one that a round
-- releases; of `local_placed` one that is released, with its round; of `local_levels` one round; of `local_shown` what is
-- released for one cell at one level.
CREATE TEMPORARY TABLE local_counted AS
SELECT * FROM (VALUES (0, 'east', 'basic', 1, 4), (1, 'west', 'plus', 2, 5), (2, NULL, 'basic', 3, 1))
  AS combination(cell, value, kept, person, n);
CREATE TEMPORARY TABLE local_combos AS
SELECT * FROM (VALUES (1, 0, 4, 0), (2, 1, 5, 1), (3, 2, 1, 2)) AS combination(combo, cell, n, level);
CREATE TEMPORARY TABLE local_remaining AS
SELECT * FROM (VALUES (1, 0, 1, 0, 4), (2, 1, 2, 1, 5), (3, 2, 3, 0, 1)) AS part(combo, level, person, code, n);
CREATE TEMPORARY TABLE local_round AS SELECT * FROM (VALUES (1, 1, 4), (2, 2, 5)) AS part(combo, class, n);
CREATE TEMPORARY TABLE local_placed AS SELECT * FROM (VALUES (1, 1), (2, 1)) AS placed(combo, round);
CREATE TEMPORARY TABLE local_levels AS SELECT * FROM (VALUES (1, 1)) AS levels(round, level);
CREATE TEMPORARY TABLE local_shown AS SELECT * FROM (VALUES (0, 1, 'E'), (1, 1, 'W')) AS shown(cell, level, label);

-- The relations of microaggregation and Mondrian. One row of `microdata` is one record; of `microdata_groups` one group of
-- records and what is released for them; of `microdata_assigned` one record with the number of its group, of
-- `microdata_placed` one combination with it; of `asked` one record whose value is looked up, by place.
CREATE TEMPORARY TABLE microdata AS
SELECT * FROM (VALUES
  (0, 1.5, 2.25, 'basic', 'f', 0, 2), (0, 2.5, 2.50, 'plus', 'm', 0, 1),
  (1, 3.5, 2.75, 'plus', 'm', 1, 1), (1, 4.5, 3.00, NULL, 'f', 1, 3)
) AS record(level, measured, decimals, kept, value, cell, person);
ALTER TABLE microdata ADD COLUMN moment TIMESTAMP DEFAULT TIMESTAMP '2001-02-03 04:05:06';
CREATE TEMPORARY TABLE asked AS SELECT * FROM (VALUES (0, 3), (1, 1)) AS record(place, record);
CREATE TEMPORARY TABLE microdata_groups AS
SELECT * FROM (VALUES (0, 2, 'E', 0, 2.0), (1, 2, 'W', 1, 4.0)) AS part(number, n, label, cell, measured);
CREATE TEMPORARY TABLE microdata_assigned AS
SELECT * FROM (VALUES (0, 0), (1, 0), (2, 1), (3, 1)) AS assigned(record, number);
CREATE TEMPORARY TABLE microdata_placed AS SELECT * FROM (VALUES (0, 0), (1, 1)) AS placed(cell, number);

-- The relation that a taxonomy is drafted from. One row of `item_descriptions` is one item with one description: n records have it.
CREATE TEMPORARY TABLE item_descriptions AS
SELECT * FROM (VALUES ('85123A', 'white candle', 5), ('85123A', NULL, 1), ('21730', 'red mug', 2), (NULL, 'box', 1))
  AS counted(item, description, n);

-- The relations of certificates. One row of `valued` is one combination of values, of `certified` the same with its class at a
-- level; of `part` one combination of one node with the number of its class; of `sized` one class of that node.
CREATE TEMPORARY TABLE valued AS
SELECT * FROM (VALUES ('east', 'basic', 4), ('west', 'plus', 3), (NULL, 'basic', 1)) AS combination(code, kept, n);
CREATE TEMPORARY TABLE certified AS
SELECT * FROM (VALUES (0, 'basic', 1, 0, 4), (0, 'plus', 2, 1, 3), (1, 'basic', 3, 0, 1))
  AS combination(level, kept, person, value, n);
CREATE TEMPORARY TABLE part AS SELECT certified.*, certified.level + 1 AS class FROM certified;
CREATE TEMPORARY TABLE sized AS SELECT * FROM (VALUES (1, 7, FALSE), (2, 1, TRUE)) AS class(class, size, fails);

-- The relations of reports. One row of `coded` is one combination by the numbers of its values; of `place` one value with its
-- label and span; of `grouped` one pair of labels or numbers.
CREATE TEMPORARY TABLE coded AS
SELECT * FROM (VALUES (0, 0, 1, 4), (0, 1, 2, 2), (1, 0, 3, 3)) AS combination(cell, value, person, n);
CREATE TEMPORARY TABLE place AS
SELECT * FROM (VALUES (0, '[0, 10)', 0, 0.0, 10.0, 4), (1, '10+', 1, 10.0, NULL, 2)) AS value(cell, label, category, low, high, n);
CREATE TEMPORARY TABLE grouped AS SELECT * FROM (VALUES (0, 1.5, 4), (1, 2.5, 2), (1, 3.0, 1)) AS pair(one, other, n);

COPY dataset TO 'stand_in.csv' (FORMAT csv, HEADER TRUE);
COPY dataset TO 'stand_in.csv.gz' (FORMAT csv, HEADER TRUE, COMPRESSION gzip);
COPY dataset TO 'stand_in.parquet' (FORMAT parquet);

-- The microaggregated columns, beside those of the written files.
ALTER TABLE dataset ADD COLUMN measured DOUBLE DEFAULT 1.5;

-- The relations of judging. One row of `original_records` is one row of an original, of `released_records` one of its release;
-- of `released_sets` one element of a set of items; of `released_histories` one pseudonym with what it shares with others;
-- of `truth` one pseudonym and whose it is; of `kept` one row of the original and the one that was released of it.
CREATE TEMPORARY TABLE original_records AS
SELECT record.*, record.u2 AS price, 1 AS quantity
FROM (VALUES
  (0, 0, 14975, 250, 0, 0), (1, 0, 14976, 100, 1, 1), (2, 1, 14977, 300, 1, 1), (3, 1, 14975, 120, 2, 2),
  (4, 2, 15000, 90, 2, 2)
) AS record(record, customer, u1, u2, item, element);
CREATE TEMPORARY TABLE released_records AS
SELECT
  record.*, record.item_set AS meaning, record.low_2 AS low_price, record.high_2 AS high_price, 1.0 AS low_quantity,
  1.0 AS high_quantity
FROM (VALUES
  (1, 0, 14975.0, 14977.0, 250.0, 300.0, 0), (2, 1, 14975.0, 14977.0, 250.0, 300.0, 0),
  (3, 0, 14975.0, 14976.0, 100.0, 120.0, 1), (4, 1, 14975.0, 14976.0, 100.0, 120.0, 1)
) AS record(line, pseudonym, low_1, high_1, low_2, high_2, item_set);
CREATE TEMPORARY TABLE released_sets AS
SELECT * FROM (VALUES (0, 0, 2, 2), (0, 1, 2, 2), (1, 1, 2, 2), (1, 2, 2, 2)) AS part(item_set, element, size, goods);
CREATE TEMPORARY TABLE released_histories AS
SELECT * FROM (VALUES (0, 0, 2), (1, 0, 2)) AS history(pseudonym, history, rows);
CREATE TEMPORARY TABLE truth AS SELECT * FROM (VALUES (0, 1, 1), (1, 0, 1)) AS truth(pseudonym, customer, customers);
CREATE TEMPORARY TABLE kept AS SELECT * FROM (VALUES (0, 2), (1, 4), (2, 1), (3, 3)) AS kept(record, line);

-- The relations that these are made of. One row of `original_read`, `release_read` and `map_read` is one row of what is judged; of
-- `judged_customers`, `judged_pseudonyms` and `numbered_texts` one value by number; of `goods` one good and what a release calls it; of
-- `elements` one of these names; of `item_texts`, `text_sets` and `set_of_text` one cell of items as it is written, of
-- `listed` one item in it; of `item_sets` and `set_sizes` one set; of `row_texts`, `contents` and `meanings` one way of
-- writing a row; of `mapped` and `copies` one row, its likes counted.
ALTER TABLE dataset ADD COLUMN moment DATE DEFAULT DATE '2011-01-01';
ALTER TABLE dataset ADD COLUMN line INTEGER DEFAULT 1;
CREATE TEMPORARY TABLE original_read AS
SELECT * FROM (VALUES (0, '7', 'a', 14975, 2.5), (1, '8', 'b', 14976, 1.0)) AS row(record, customer, item, raw_1, raw_2);
CREATE TEMPORARY TABLE release_read AS
SELECT * FROM (VALUES
  (1, '1', '{a, b}', '[2011-01-01, 2011-01-02]', '[1, 2.5]'),
  (2, '2', '{a, b}', '[2011-01-01, 2011-01-02]', '[1, 2.5]'),
  (3, '*', '*', '*', '*')
) AS row(line, pseudonym, item, cell_1, cell_2);
CREATE TEMPORARY TABLE row_texts AS
SELECT 1 AS content, '{a, b}' AS item, '[2011-01-01, 2011-01-02]' AS cell_1, '[1, 2.5]' AS cell_2, 2 AS rows;
CREATE TEMPORARY TABLE contents AS
SELECT
  row_texts.*, 0 AS item_set, 14975.0 AS low_1, 14976.0 AS high_1, TRUE AS written, FALSE AS unreadable_item,
  FALSE AS unreadable_1
FROM row_texts;
CREATE TEMPORARY TABLE meanings AS SELECT contents.*, contents.content AS meaning FROM contents;
CREATE TEMPORARY TABLE map_read AS
SELECT * FROM (VALUES (1, '7', 'a', 14975, 2.5), (2, '8', 'b', 14976, 1.0)) AS row(line, customer, item, raw_1, raw_2);
CREATE TEMPORARY TABLE texts AS SELECT * FROM (VALUES ('a'), ('b'), ('a')) AS texts(label);
CREATE TEMPORARY TABLE numbered_texts AS SELECT * FROM (VALUES (0, 'a'), (1, 'b')) AS value(number, label);
CREATE TEMPORARY TABLE judged_customers AS SELECT * FROM (VALUES (0, '7'), (1, '8')) AS value(number, label);
CREATE TEMPORARY TABLE judged_pseudonyms AS SELECT * FROM (VALUES (0, '1'), (1, '2')) AS value(number, label);
CREATE TEMPORARY TABLE goods AS SELECT * FROM (VALUES (0, 'a', 'a'), (1, 'b', 'b')) AS good(item, label, class);
CREATE TEMPORARY TABLE elements AS SELECT * FROM (VALUES (0, 'a', 1), (1, 'b', 1)) AS element(element, label, goods);
CREATE TEMPORARY TABLE item_texts AS SELECT '{a, b}' AS item, ['a', 'b'] AS elements;
CREATE TEMPORARY TABLE listed AS SELECT * FROM (VALUES ('{a, b}', 'a'), ('{a, b}', 'b')) AS part(item, label);
CREATE TEMPORARY TABLE text_sets AS SELECT '{a, b}' AS item, [0, 1] AS contents;
CREATE TEMPORARY TABLE item_sets AS SELECT 0 AS item_set, [0, 1] AS contents;
CREATE TEMPORARY TABLE set_of_text AS SELECT '{a, b}' AS item, 0 AS item_set;
CREATE TEMPORARY TABLE set_sizes AS SELECT * FROM (VALUES (0, 2, 2), (1, 2, 2)) AS part(item_set, size, goods);
CREATE TEMPORARY TABLE mapped AS
SELECT * FROM (VALUES (1, 0, 0, 14975, 1), (2, 1, 1, 14976, 1)) AS row(line, customer, item, u1, copy);
CREATE TEMPORARY TABLE copies AS
SELECT * FROM (VALUES (0, 0, 0, 14975, 1), (1, 1, 1, 14976, 1)) AS row(record, customer, item, u1, copy);

-- The relations of the attacks. One row of `attack_customers` is one customer who is sought, of `attack_histories` one different
-- history, of `attack_rows` one of its rows; of `attack_bins` one value of a column, of `attack_bin_shares` one bin of such;
-- of `attack_intervals` one interval, of `attack_cells` and `attack_sets` one that a history has; of `attack_weights` one
-- history and of `attack_counts` one customer, a figure a bin; of `attack_bought` one customer with one bin; of
-- `attack_likely` and `attack_fit` one customer with one history, of `attack_named` with the pseudonym that is named.
CREATE TEMPORARY TABLE attack_customers AS
SELECT * FROM (VALUES (0, 2, 1), (1, 2, 1)) AS customer(customer, purchases, histories);
CREATE TEMPORARY TABLE attack_histories AS
SELECT * FROM (VALUES (0, 2, 0, 2, 0)) AS history(history, pseudonyms, pseudonym, rows, shorter);
CREATE TEMPORARY TABLE attack_rows AS
SELECT * FROM (VALUES (0, 1, 14975.0, 14977.0, 0), (0, 3, 14975.0, 14976.0, 1))
  AS row(history, line, low_1, high_1, item_set);
CREATE TEMPORARY TABLE attack_bins AS
SELECT * FROM (VALUES (14975, 2, 1), (14976, 1, 2), (14977, 1, 3), (15000, 1, 4)) AS value(value, n, bin);
CREATE TEMPORARY TABLE attack_bin_shares AS
SELECT * FROM (VALUES (1, 0.4, 0.4), (2, 0.2, 0.6), (3, 0.2, 0.8), (4, 0.2, 1.0)) AS bin(bin, share, upto);
CREATE TEMPORARY TABLE attack_intervals AS
SELECT * FROM (VALUES (14975.0, 14977.0, 1, 3, 0.8), (14975.0, 14976.0, 1, 2, 0.6))
  AS part(low, high, first, last, share);
CREATE TEMPORARY TABLE attack_cells AS
SELECT * FROM (VALUES (0, 1, 3, 0.8, 1, 2, 2), (0, 1, 2, 0.6, 1, 1, 2))
  AS cell(history, first, last, share, n, ended, begun);
CREATE TEMPORARY TABLE attack_sets AS
SELECT * FROM (VALUES (0, 0, 1, 0.6), (0, 1, 1, 0.8)) AS part(history, item_set, n, share);
CREATE TEMPORARY TABLE attack_weights AS
SELECT 0 AS history, CAST([0.5, 0.3, 0.1, -1.5] AS FLOAT[]) AS weights;
CREATE TEMPORARY TABLE attack_bought AS
SELECT * FROM (VALUES
  (0, 0, 0, 0, 0), (0, 1, 1, 1, 1), (0, 2, 2, 1, 2), (0, 3, 3, 0, 2),
  (1, 0, 4294967296, 0, 0), (1, 1, 4294967297, 1, 1), (1, 2, 4294967298, 0, 1), (1, 3, 4294967299, 1, 2)
) AS bought(customer, bin, place, n, upto);
CREATE TEMPORARY TABLE attack_counts AS
SELECT * FROM (VALUES (0, CAST([1, 1, 0, 0] AS FLOAT[])), (1, CAST([1, 0, 1, 0] AS FLOAT[]))) AS bought(customer, counts);
CREATE TEMPORARY TABLE attack_likely AS SELECT * FROM (VALUES (0, 0), (1, 0)) AS likely(customer, history);
CREATE TEMPORARY TABLE attack_fit AS SELECT * FROM (VALUES (0, 0, 0.8), (1, 0, 0.6)) AS fit(customer, history, fit);
CREATE TEMPORARY TABLE attack_named AS SELECT * FROM (VALUES (0, 1), (1, 1)) AS named(customer, pseudonym);

-- The relations of a release's utility. One row of `sales_before` is one month; of `sold_before` and `sold_after` one item;
-- of `customer_figures` and of `segments_before` and `segments_after` one customer.
CREATE TEMPORARY TABLE sales_before AS SELECT '2011-01' AS month, 14975.0 AS first, 15005.0 AS last, 770.0 AS sold;
CREATE TEMPORARY TABLE sold_before AS SELECT * FROM (VALUES (0, 1.0), (1, 2.0), (2, 2.0)) AS item(item, sold);
CREATE TEMPORARY TABLE sold_after AS SELECT * FROM (VALUES (0, 1.0), (1, 2.0), (2, 1.0)) AS item(item, sold);
CREATE TEMPORARY TABLE customer_figures AS
SELECT * FROM (VALUES (0, 14976.0, 2, 350.0), (1, 14977.0, 2, 420.0), (2, 15000.0, 1, 90.0))
  AS customer(customer, recency, frequency, monetary);
CREATE TEMPORARY TABLE segments_before AS
SELECT * FROM (VALUES (0, 0, 1, 1), (1, 1, 1, 3), (2, 3, 0, 0)) AS customer(customer, recency, frequency, monetary);
CREATE TEMPORARY TABLE segments_after AS
SELECT * FROM (VALUES (0, 0, 0, 0), (1, 0, 0, 0)) AS customer(customer, recency, frequency, monetary);

-- The relations of purchase histories. One row of `purchases` is one purchase, in whole units; of `history_customers` one customer,
-- of `history_goods` one good, of `history_items` what is released for some; of `history_clusters` one clustered customer,
-- of `history_matched` one purchase that is matched; of `history_placed` one that is released, of `history_slots` some that
-- are released alike, of `history_shown` their texts.
ALTER TABLE dataset ADD COLUMN bought TIMESTAMP DEFAULT TIMESTAMP '2011-02-03 04:05:06';
ALTER TABLE microdata ADD COLUMN customer VARCHAR DEFAULT 'c7';
ALTER TABLE microdata ADD COLUMN u1 DATE DEFAULT DATE '2011-02-03';
ALTER TABLE microdata ADD COLUMN item VARCHAR DEFAULT 'a';
CREATE TEMPORARY TABLE purchases AS
SELECT * FROM (VALUES (0, 300, 1, 1), (0, 200, 2, 2), (1, 250, 2, 2), (1, 150, 2, 2))
  AS purchase(customer, measured, item, good);
CREATE TEMPORARY TABLE history_customers AS
SELECT * FROM (VALUES ('c7', 0, 2, 0), ('c8', 1, 2, 2)) AS customer(key, number, n, start);
CREATE TEMPORARY TABLE history_goods AS
SELECT * FROM (VALUES ('a', 1, 1, 'a'), ('b;', 2, 2, 'b;')) AS good(key, good, item, label);
CREATE TEMPORARY TABLE history_items AS SELECT * FROM (VALUES (1, 'a', 1), (2, '"b;"', 1)) AS item(item, label, goods);
CREATE TEMPORARY TABLE history_clusters AS SELECT * FROM (VALUES (0, 0), (1, 0)) AS member(customer, cluster);
CREATE TEMPORARY TABLE history_matched AS
SELECT * FROM (VALUES (0, 0), (1, 1), (2, 0), (3, 1)) AS matched(record, slot);
CREATE TEMPORARY TABLE history_placed AS
SELECT purchases.rowid AS record, purchases.*, 0 AS cluster, CAST(purchases.rowid % 2 AS INTEGER) AS slot FROM purchases;
CREATE TEMPORARY TABLE history_slots AS
SELECT * FROM (VALUES (0, 0, 2, [1, 2], 250, 300, 0.5), (0, 1, 2, [2], NULL, NULL, 2.0))
  AS slot(cluster, slot, n, items, low, high, error);
CREATE TEMPORARY TABLE history_shown AS
SELECT * FROM (VALUES (0, 0, '[250, 300]'), (0, 1, '*')) AS shown(cluster, slot, value);
-- Of `history_pseudonyms` one customer with a random number, of `history_sorted` one slot with those of its customers.
CREATE TEMPORARY TABLE history_pseudonyms AS
SELECT * FROM (VALUES (0, 0, 2), (1, 0, 1)) AS listed(customer, cluster, number);
CREATE TEMPORARY TABLE history_sorted AS
SELECT * FROM (VALUES (1, [1, 2], 1, '*'), (1, [1, 2], 0, '[250, 300]')) AS slot(first, numbers, slot, value);

-- One row of `part_combinations` is one combination of a part of a dataset: n rows have it; of `part_counts_added` one of all.
CREATE TEMPORARY TABLE part_combinations AS SELECT * FROM (VALUES ('east', 2), ('west', 3)) AS combination(qi, n);
CREATE TEMPORARY TABLE part_counts_added AS SELECT * FROM part_combinations;
