-- The histogram of class sizes: one row is one size, with the number of classes that have it.
SELECT class_size.size, COUNT(*) AS classes FROM class_size GROUP BY class_size.size
