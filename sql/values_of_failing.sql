-- The values of a sensitive attribute in the classes that fail a model. One row is one value that occurs in one of them.
SELECT class_value.class, class_value.value, class_value.n
FROM class_value
JOIN failing ON failing.class = class_value.class
