-- The unreadable cells of each column of a release. One row.
SELECT
  CAST(SUM(CASE WHEN contents.unreadable_item THEN contents.rows ELSE 0 END) AS BIGINT) AS unreadable_item,
  CAST(SUM(CASE WHEN contents.unreadable_1 THEN contents.rows ELSE 0 END) AS BIGINT) AS unreadable_1
FROM contents
