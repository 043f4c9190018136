-- What a reader sees of the release, with the persons, who are not shown. One row is one combination.
SELECT * FROM decided WHERE NOT decided.suppressed
