-- The different histories of a release, with all their rows: of pseudonyms that share one, the rows of one. One row is
-- one row of the release.
SELECT attack_histories.history, released_records.*
FROM released_records
JOIN attack_histories ON released_records.pseudonym = attack_histories.pseudonym
