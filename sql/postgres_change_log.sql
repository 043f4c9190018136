-- The change log of a PostgreSQL database: a script that its provider runs there, 13 or later.

-- name: log
-- The change log. One row is one statement that wrote to a table, by a random number: no value of the table. A statement
-- that is rolled back leaves none. Prune it at any time by DELETE FROM ordermade.changes: versions change once.
BEGIN;

SET LOCAL standard_conforming_strings = on;

CREATE SCHEMA IF NOT EXISTS ordermade;

CREATE TABLE IF NOT EXISTS ordermade.changes (relation OID NOT NULL, number BIGINT NOT NULL);

CREATE TABLE IF NOT EXISTS ordermade.roots (
  dataset TEXT NOT NULL,
  schema_name NAME NOT NULL,
  table_name NAME NOT NULL,
  PRIMARY KEY (dataset, schema_name, table_name)
);

REVOKE ALL ON ordermade.changes, ordermade.roots FROM PUBLIC;

CREATE OR REPLACE FUNCTION ordermade.note() RETURNS TRIGGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO ordermade.changes (relation, number) VALUES (TG_RELID, hashtextextended(gen_random_uuid()::TEXT, 0));
  RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION ordermade.note() FROM PUBLIC;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = 'ordermade.changes'::regclass AND tgname = 'ordermade') THEN
    CREATE TRIGGER ordermade AFTER UPDATE OR DELETE OR TRUNCATE ON ordermade.changes
      FOR EACH STATEMENT EXECUTE FUNCTION ordermade.note();
    ALTER TABLE ordermade.changes ENABLE ALWAYS TRIGGER ordermade;
  END IF;
END
$$;

INSERT INTO ordermade.changes (relation, number)
VALUES ('ordermade.changes'::regclass, pg_catalog.hashtextextended(pg_catalog.gen_random_uuid()::TEXT, 0));

-- name: read_by
-- What a relation of `reads` reads: the tables and views of a view, partitions and children. One row is one relation.
SELECT depend.refobjid AS relation
FROM pg_catalog.pg_rewrite AS rewrite
JOIN pg_catalog.pg_class AS viewed ON viewed.oid = rewrite.ev_class AND viewed.relkind = 'v'
JOIN pg_catalog.pg_depend AS depend
  ON depend.objid = rewrite.oid
  AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
  AND depend.refclassid = 'pg_catalog.pg_class'::regclass
WHERE rewrite.ev_class = reads.relation AND rewrite.ev_type = '1' AND depend.refobjid <> reads.relation
UNION ALL
SELECT inherits.inhrelid FROM pg_catalog.pg_inherits AS inherits WHERE inherits.inhparent = reads.relation;

-- name: reason
-- Why triggers do not show every change of the relation `class`; NULL where they do.
CASE
  WHEN class.relkind = 'm' THEN 'is a materialized view'
  WHEN class.relkind = 'f' THEN 'is a foreign table'
  WHEN class.relkind NOT IN ('r', 'p', 'v') OR class.oid < 16384 THEN 'is no table or view of the database''s own'
  WHEN class.relkind <> 'v' AND class.relpersistence <> 'p' THEN 'is unlogged or temporary'
  WHEN class.relrowsecurity THEN 'has row security'
  WHEN EXISTS (
    SELECT FROM pg_catalog.pg_subscription_rel AS subscribed WHERE subscribed.srrelid = class.oid
  ) THEN 'is written by a subscription'
  WHEN EXISTS (
    SELECT FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = class.oid AND attribute.attgenerated = 'v'
  ) THEN 'has a virtual column'
  WHEN class.relkind = 'v' AND EXISTS (
    SELECT
    FROM pg_catalog.pg_rewrite AS rewrite
    JOIN pg_catalog.pg_depend AS depend
      ON depend.objid = rewrite.oid
      AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
      AND depend.refclassid IN ('pg_catalog.pg_proc'::regclass, 'pg_catalog.pg_operator'::regclass)
    WHERE rewrite.ev_class = class.oid
  ) THEN 'calls functions of the database''s own'
END;

-- name: reads
-- What each dataset reads: its tables, what their views read, partitions and children. One row is one relation of a dataset.
CREATE OR REPLACE VIEW ordermade.reads AS
WITH RECURSIVE reads AS (
  SELECT roots.dataset, class.oid AS relation
  FROM ordermade.roots AS roots
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.nspname = roots.schema_name
  JOIN pg_catalog.pg_class AS class ON class.relnamespace = namespace.oid AND class.relname = roots.table_name
  UNION
  SELECT reads.dataset, part.relation
  FROM reads
  JOIN LATERAL (
    {read_by}
  ) AS part ON TRUE
)
SELECT reads.dataset, reads.relation FROM reads;

REVOKE ALL ON ordermade.reads FROM PUBLIC;

-- name: watch
-- Gives each table that a dataset reads its trigger, where it has none. Returns how many it gave.
CREATE OR REPLACE FUNCTION ordermade.watch() RETURNS INTEGER
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  place TEXT;
  given INTEGER := 0;
BEGIN
  FOR place IN
    SELECT DISTINCT format('%I.%I', namespace.nspname, class.relname)
    FROM ordermade.reads AS reads
    JOIN pg_class AS class ON class.oid = reads.relation AND class.relkind IN ('r', 'p')
    JOIN pg_namespace AS namespace ON namespace.oid = class.relnamespace
    WHERE NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = class.oid AND tgname = 'ordermade')
  LOOP
    EXECUTE format(
      'CREATE TRIGGER ordermade AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s'
      ' FOR EACH STATEMENT EXECUTE FUNCTION ordermade.note()', place
    );
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER ordermade', place);
    given := given + 1;
  END LOOP;
  RETURN given;
END
$$;

REVOKE ALL ON FUNCTION ordermade.watch() FROM PUBLIC;

-- name: dataset
-- The tables of the dataset {dataset}, and their triggers: those that were switched off are switched on.
DELETE FROM ordermade.roots WHERE dataset = {dataset};
INSERT INTO ordermade.roots (dataset, schema_name, table_name) VALUES
  {roots};

DO $$
DECLARE
  place TEXT;
BEGIN
  FOR place IN
    SELECT DISTINCT format('%I.%I', namespace.nspname, class.relname)
    FROM ordermade.reads AS reads
    JOIN pg_catalog.pg_trigger AS trigger ON trigger.tgrelid = reads.relation AND trigger.tgname = 'ordermade'
    JOIN pg_catalog.pg_class AS class ON class.oid = reads.relation
    JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
    WHERE trigger.tgenabled <> 'A'
  LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER ordermade', place);
  END LOOP;
END
$$;

SELECT ordermade.watch();

-- name: version
-- The version of the dataset {dataset}: one row, of the rows of the log, and of what no trigger sees: names, kinds and files of
-- the tables, their columns, partitions and triggers, the queries of views, the labels of types. `version` is NULL, and `fault`
-- says why, where a change might not show.
CREATE OR REPLACE VIEW {view} AS
WITH reads AS (
  SELECT reads.relation FROM ordermade.reads AS reads WHERE reads.dataset = {dataset}
  UNION
  SELECT 'ordermade.changes'::regclass::OID
),
types AS (
  SELECT DISTINCT attribute.atttypid AS type
  FROM reads
  JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = reads.relation
),
facts AS (
  SELECT
    format('root %s %s %s', roots.schema_name, roots.table_name, class.oid) AS fact,
    CASE WHEN class.oid IS NULL THEN format('%s.%s: is not there', roots.schema_name, roots.table_name) END AS fault
  FROM ordermade.roots AS roots
  LEFT JOIN pg_catalog.pg_namespace AS namespace ON namespace.nspname = roots.schema_name
  LEFT JOIN pg_catalog.pg_class AS class ON class.relnamespace = namespace.oid AND class.relname = roots.table_name
  WHERE roots.dataset = {dataset}
  UNION ALL
  SELECT
    format(
      'relation %s %s %s %s %s', class.oid, class.relkind, class.relfilenode, class.relpersistence, class.relrowsecurity
    ),
    format('%s.%s: ', namespace.nspname, class.relname) || COALESCE({reason}, CASE
      WHEN class.relkind <> 'v' AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_trigger AS trigger
        WHERE trigger.tgrelid = class.oid
          AND trigger.tgname = 'ordermade'
          AND trigger.tgfoid = 'ordermade.note()'::regprocedure
          AND trigger.tgenabled = 'A'
          AND trigger.tgtype = CASE class.oid WHEN 'ordermade.changes'::regclass THEN 56 ELSE 60 END
          AND trigger.tgqual IS NULL
          AND trigger.tgattr = ''::int2vector
      ) THEN 'has no trigger of the change log, or it is off'
    END)
  FROM reads
  JOIN pg_catalog.pg_class AS class ON class.oid = reads.relation
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  UNION ALL
  SELECT format('trigger %s %s %s', trigger.tgrelid, trigger.oid, trigger.xmin), NULL
  FROM reads
  JOIN pg_catalog.pg_trigger AS trigger ON trigger.tgrelid = reads.relation AND trigger.tgname = 'ordermade'
  UNION ALL
  SELECT format('part %s %s %s', inherits.inhparent, inherits.inhrelid, to_jsonb(inherits) ->> 'inhdetachpending'), NULL
  FROM reads
  JOIN pg_catalog.pg_inherits AS inherits ON inherits.inhparent = reads.relation
  UNION ALL
  SELECT
    format(
      'column %s %s %s %s %s %s',
      attribute.attrelid, attribute.attnum, attribute.atttypid, attribute.atttypmod, attribute.attname, attribute.xmin
    ),
    NULL
  FROM reads
  JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = reads.relation AND attribute.attnum > 0
  UNION ALL
  SELECT format('query %s %s %s', rewrite.ev_class, rewrite.xmin, rewrite.ev_action), NULL
  FROM reads
  JOIN pg_catalog.pg_rewrite AS rewrite ON rewrite.ev_class = reads.relation
  UNION ALL
  SELECT format('function %s %s', proc.oid, proc.xmin), NULL
  FROM pg_catalog.pg_proc AS proc
  WHERE proc.pronamespace = 'ordermade'::regnamespace
  UNION ALL
  SELECT format('label %s %s %s %s', enum.enumtypid, enum.oid, enum.xmin, enum.enumlabel), NULL
  FROM pg_catalog.pg_enum AS enum
  UNION ALL
  SELECT format('field %s %s %s', attribute.attrelid, attribute.attnum, attribute.atttypid), NULL
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
  WHERE class.relkind = 'c' OR class.reltype IN (SELECT types.type FROM types)
  UNION ALL
  SELECT format('type %s %s %s', typed.oid, proc.oid, proc.xmin), NULL
  FROM types
  JOIN pg_catalog.pg_type AS typed ON typed.oid = types.type AND typed.oid >= 16384
  JOIN pg_catalog.pg_proc AS proc ON proc.oid = typed.typoutput
),
seen AS (
  SELECT
    COUNT(*) FILTER (WHERE starts_with(facts.fact, 'root ')) AS roots,
    encode(sha256(convert_to(string_agg(facts.fact, E'\n' ORDER BY facts.fact COLLATE "C"), 'UTF8')), 'hex') AS digest,
    string_agg(facts.fault, '; ' ORDER BY facts.fault COLLATE "C") AS fault
  FROM facts
),
written AS (
  SELECT COUNT(*) AS rows, SUM(changes.number) AS total
  FROM ordermade.changes AS changes
  WHERE changes.relation IN (SELECT reads.relation FROM reads)
)
SELECT
  CASE
    WHEN seen.fault IS NULL AND seen.roots > 0 AND written.rows > 0
      THEN format('%s.%s.%s', written.rows, written.total, seen.digest)
  END AS version,
  CASE
    WHEN seen.roots = 0 THEN 'the dataset has no tables in ordermade.roots'
    WHEN written.rows = 0 THEN 'the log was emptied while it was read'
    ELSE seen.fault
  END AS fault
FROM seen, written;

REVOKE ALL ON {view} FROM PUBLIC;
GRANT USAGE ON SCHEMA ordermade TO {reader};
GRANT SELECT ON {view} TO {reader};

-- name: follow
-- New partitions get their triggers as they are made, and subscriptions are noted. This takes a superuser; without it, a new
-- partition gives no version until SELECT ordermade.watch() runs.
CREATE OR REPLACE FUNCTION ordermade.follow() RETURNS EVENT_TRIGGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_TAG LIKE '%SUBSCRIPTION' THEN
    INSERT INTO ordermade.changes (relation, number)
    VALUES ('ordermade.changes'::regclass, hashtextextended(gen_random_uuid()::TEXT, 0));
  END IF;
  PERFORM ordermade.watch();
EXCEPTION WHEN OTHERS THEN
  RAISE WARNING 'no trigger of the change log could be made: %', SQLERRM;
END
$$;

REVOKE ALL ON FUNCTION ordermade.follow() FROM PUBLIC;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_event_trigger WHERE evtname = 'ordermade') THEN
    CREATE EVENT TRIGGER ordermade ON ddl_command_end
      WHEN TAG IN (
        'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE', 'CREATE VIEW', 'ALTER VIEW',
        'CREATE SUBSCRIPTION', 'ALTER SUBSCRIPTION', 'DROP SUBSCRIPTION'
      )
      EXECUTE FUNCTION ordermade.follow();
    ALTER EVENT TRIGGER ordermade ENABLE ALWAYS;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN
  RAISE NOTICE 'no superuser: SELECT ordermade.watch() gives new partitions their triggers';
END
$$;

COMMIT;

-- name: then
-- Now let the dataset use it: {command}
-- To take it all away again: DROP SCHEMA ordermade CASCADE
SELECT version IS NOT NULL AS is_ready, fault FROM {view};

-- name: query
-- The version query of a dataset that has a change log: one row.
SELECT version FROM {view};

-- name: reader
-- The role of the session, and the version of the server, as a number: one row.
SELECT current_user::TEXT AS reader, pg_catalog.current_setting('server_version') AS version;

-- name: unfit
-- What a dataset reads whose changes no trigger shows, and why. One row is one relation.
WITH RECURSIVE reads AS (
  SELECT class.oid AS relation
  FROM pg_catalog.pg_namespace AS namespace
  JOIN pg_catalog.pg_class AS class ON class.relnamespace = namespace.oid
  WHERE namespace.nspname = $schema AND class.relname = $table
  UNION
  SELECT part.relation
  FROM reads
  JOIN LATERAL (
    {read_by}
  ) AS part ON TRUE
),
found AS (
  SELECT
    class.relname::TEXT AS name,
    {reason} AS reason
  FROM reads
  JOIN pg_catalog.pg_class AS class ON class.oid = reads.relation
)
SELECT found.name, found.reason FROM found WHERE found.reason IS NOT NULL ORDER BY found.name;
