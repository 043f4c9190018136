-- The classes that fail a model, where a request has no model. No row.
SELECT class_size.class FROM class_size WHERE FALSE
