-- The sizes of a node's classes, where their values are counted and rows add up. One row is one class.
SELECT class_value.class, SUM(class_value.n) AS size FROM class_value GROUP BY class_value.class
