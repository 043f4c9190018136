-- A written, gzipped release read back as it stands, every field a text. One row is one row of the release.
SELECT *
FROM READ_CSV(
  'stand_in.csv.gz',
  auto_detect = FALSE,
  header = TRUE,
  columns = {'id': 'VARCHAR', 'qi': 'VARCHAR', 'code': 'VARCHAR', 'kept': 'VARCHAR', 'condition': 'VARCHAR'},
  delim = ',',
  quote = '"',
  escape = '"',
  nullstr = '',
  allow_quoted_nulls = FALSE,
  compression = 'gzip'
)
