-- The classes of a round that pass. One row is one class, named by the least of its combinations.
SELECT DISTINCT part.class FROM local_round AS part
