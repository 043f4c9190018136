-- The release, decided: a combination is suppressed if its class is too small or fails a model. One row is one
-- combination of released values, n rows of the dataset (of one person, where persons are distinguished) have it.
SELECT numbered.value, numbered.person, numbered.n, failing.class IS NOT NULL AS suppressed
FROM numbered
LEFT JOIN (SELECT DISTINCT suppressed.class FROM suppressed) AS failing ON numbered.class = failing.class
