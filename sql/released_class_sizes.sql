-- The persons of each class, for the models that cannot add them up. One row is one class.
SELECT class.class, class.units AS size FROM classes AS class
