-- The suppressed classes of a node: those smaller than k, and those that fail a model. One row is one class.
SELECT class_size.class
FROM class_size
LEFT JOIN failing ON failing.class = class_size.class
WHERE class_size.size < 5 OR NOT failing.class IS NULL
