-- What each dataset of the copy, and every one of its name since, lets be asked. One row: such a pair: number and name of
-- the dataset, its least k, word and columns of filters, and the same three of the state replaced.
-- after: attach_state, attach_restored
SELECT b.id, b.name, b.least_k, b.filters,
       (SELECT JSON_GROUP_ARRAY(c.column_name)
        FROM (SELECT f.column_name FROM ordermade_restored.dataset_filter_columns AS f WHERE f.dataset_id = b.id ORDER BY f.position) AS c)
           AS "filter_columns [LIST_TEXT]",
       s.least_k AS since_least_k, s.filters AS since_filters,
       (SELECT JSON_GROUP_ARRAY(c.column_name)
        FROM (SELECT f.column_name FROM ordermade_state.dataset_filter_columns AS f WHERE f.dataset_id = s.id ORDER BY f.position) AS c)
           AS "since_filter_columns [LIST_TEXT]"
FROM ordermade_restored.datasets AS b
JOIN ordermade_state.datasets AS s ON s.name = b.name AND s.id >= b.id
WHERE b.removed_at IS NULL
ORDER BY b.id, s.id
