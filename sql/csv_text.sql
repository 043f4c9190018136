-- CSV files of one shape as a table of texts, nothing guessed: an empty field is NULL, two quotes are an empty text.
-- One row is one record after the header.
SELECT dataset.qi
FROM READ_CSV(
  'stand_in.csv',
  auto_detect = FALSE,
  header = TRUE,
  delim = ',',
  quote = '"',
  escape = '"',
  comment = '',
  nullstr = '',
  allow_quoted_nulls = FALSE,
  columns = {'id': 'VARCHAR', 'qi': 'VARCHAR', 'code': 'VARCHAR', 'kept': 'VARCHAR', 'condition': 'VARCHAR'}
) AS dataset
