-- The k of a release of histories, a class of which is the persons whose rows are the same, each as often. One row is
-- one class size, in persons by their pseudonyms.
SELECT class.size, COUNT(*) AS classes
FROM (
  SELECT COUNT(*) AS size
  FROM (
    SELECT purchase.person, LIST_SORT(LIST(purchase.content)) AS contents
    FROM (
      SELECT
        released.person AS person,
        MD5_NUMBER(CONCAT_WS(CHR(31), COALESCE(CAST(released.value AS VARCHAR), CHR(30)))) AS content
      FROM released
    ) AS purchase
    GROUP BY purchase.person
  ) AS history
  GROUP BY history.contents
) AS class
GROUP BY class.size
