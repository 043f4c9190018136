COPY (
  SELECT
    released."v1" AS "sex",
    released."v2" AS "age",
    released."v3" AS "joined",
    released."v4" AS "code",
    released.n AS "count"
  FROM released_sorted AS released
)
TO 'table.csv' WITH (
  FORMAT csv,
  HEADER TRUE,
  USE_TMP_FILE FALSE
);
