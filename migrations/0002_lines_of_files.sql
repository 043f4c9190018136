-- Lines of CSV files, and rows of sheets, that are no part of a source's tables: titles, further names, totals.

-- Of CSV files and workbooks: the numbers of these lines, from 1; NULL: none
ALTER TABLE sources ADD COLUMN skipped_lines LIST_TEXT;
