-- The release as a reader sees it, with the persons, who are not shown. One row is one combination.
SELECT * FROM decided WHERE NOT decided.suppressed
