-- A release in units, with the number of each row's meaning in any spelling. Rows that are deleted with their pseudonym
-- are left out. The columns of days and numbers are there once for each. One row is one other row of the release.
SELECT
  release_read.line,
  judged_pseudonyms.number AS pseudonym,
  meanings.meaning,
  meanings.item_set,
  meanings.low_1,
  meanings.high_1
FROM release_read
JOIN meanings ON release_read.item = meanings.item AND release_read.cell_1 = meanings.cell_1
LEFT JOIN judged_pseudonyms ON release_read.pseudonym = judged_pseudonyms.label
WHERE meanings.written OR judged_pseudonyms.number IS NOT NULL
