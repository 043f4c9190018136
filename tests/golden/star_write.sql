COPY (
  SELECT
    released."v1" AS "sex",
    released."v2" AS "age",
    released."v3" AS "joined",
    released."v4" AS "code",
    released."v5" AS "plan",
    released."v6" AS "who"
  FROM (
    SELECT
      released."v1",
      released."v2",
      released."v3",
      released."v4",
      released."v5",
      released."v6",
      UNNEST(RANGE(0, released.n)) AS repetition
    FROM released_sorted AS released
  ) AS released
)
TO 'stars.csv' WITH (
  FORMAT csv,
  HEADER TRUE,
  USE_TMP_FILE FALSE
);
