-- The classes smaller than k. One row is one class.
SELECT class.class FROM classes AS class WHERE class.units < 2
