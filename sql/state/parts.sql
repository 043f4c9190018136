-- The parts that a dataset was seen with under a row filter. One row: a part's content, and its rows.
-- $dataset_hash = 'd1d1'
-- after: parts_insert
SELECT content, rows FROM dataset_parts WHERE dataset_hash = $dataset_hash ORDER BY content
