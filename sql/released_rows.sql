-- The release written out: every combination of released values as often as the dataset has it. One row is one person.
SELECT released.value FROM (SELECT released.value, UNNEST(RANGE(released.n)) AS repetition FROM released) AS released
