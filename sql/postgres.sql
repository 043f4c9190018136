-- PostgreSQL as a source.

-- name: settings
-- Settings of a session that reads: texts of values do not depend on the server's or the role's own settings. `$wait`:
-- milliseconds to wait for a lock. Functions, operators and types are the server's own, whatever others made; tables are named
-- with their schemas. The session is idle while the workspace calculates. One row.
SELECT
  COALESCE(pg_catalog.current_schema(), 'public') AS schema,
  pg_catalog.set_config('TimeZone', 'UTC', FALSE),
  pg_catalog.set_config('DateStyle', 'ISO, YMD', FALSE),
  pg_catalog.set_config('IntervalStyle', 'postgres', FALSE),
  pg_catalog.set_config('extra_float_digits', '1', FALSE),
  pg_catalog.set_config('lc_time', 'C', FALSE),
  pg_catalog.set_config('lc_numeric', 'C', FALSE),
  pg_catalog.set_config('lc_monetary', 'C', FALSE),
  pg_catalog.set_config('timezone_abbreviations', 'Default', FALSE),
  pg_catalog.set_config('quote_all_identifiers', 'off', FALSE),
  pg_catalog.set_config('bytea_output', 'hex', FALSE),
  pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', FALSE),
  pg_catalog.set_config('lock_timeout', $wait, FALSE),
  pg_catalog.set_config('idle_in_transaction_session_timeout', '0', FALSE),
  pg_catalog.current_setting('server_version_num');

-- name: catalog
-- The tables and views of a PostgreSQL database of which the role may read a column, in order, without their columns: one row a
-- table. Of a table with row security the role sees some rows, and so do views of it.
WITH RECURSIVE secured AS (
  SELECT class.oid FROM pg_catalog.pg_class AS class WHERE class.relrowsecurity
  UNION
  SELECT rewrite.ev_class
  FROM secured
  JOIN pg_catalog.pg_depend AS depend
    ON depend.refobjid = secured.oid
    AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    AND depend.classid = 'pg_catalog.pg_rewrite'::regclass
  JOIN pg_catalog.pg_rewrite AS rewrite ON rewrite.oid = depend.objid
)
SELECT
  namespace.nspname AS schema,
  class.relname AS "table",
  class.relkind IN ('v', 'm') AS is_view,
  CASE
    WHEN class.relkind IN ('v', 'm') THEN class.oid IN (SELECT secured.oid FROM secured)
    ELSE class.relrowsecurity AND pg_catalog.row_security_active(class.oid)
  END AS has_row_security
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND EXISTS (
    SELECT 1
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = class.oid AND attribute.attnum > 0 AND NOT attribute.attisdropped
  )
  AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
  AND namespace.nspname NOT LIKE 'pg\_t%'
  AND has_schema_privilege(namespace.oid, 'USAGE')
  AND has_any_column_privilege(class.oid, 'SELECT')
ORDER BY namespace.nspname, class.relname;

-- name: columns
-- The columns of a table or view of a PostgreSQL database that the role may read, in order: one row a column, its domain resolved
-- to the type under it. `modifier` holds precision and scale of a numeric, -1 where there are none. No row of the table is read.
WITH RECURSIVE typed AS (
  SELECT attribute.attnum AS place, attribute.attname AS name, attribute.atttypid AS type, attribute.atttypmod AS modifier
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
  WHERE namespace.nspname = $schema
    AND class.relname = $table
    AND class.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND attribute.attnum > 0
    AND NOT attribute.attisdropped
    AND has_schema_privilege(namespace.oid, 'USAGE')
    AND has_column_privilege(class.oid, attribute.attnum, 'SELECT')
  UNION ALL
  SELECT
    typed.place,
    typed.name,
    domain.typbasetype,
    CASE WHEN typed.modifier >= 0 THEN typed.modifier ELSE domain.typtypmod END
  FROM typed
  JOIN pg_catalog.pg_type AS domain ON domain.oid = typed.type
  WHERE domain.typtype = 'd'
)
SELECT typed.name AS "column", base.typname AS type, base.typtype AS kind, typed.modifier
FROM typed
JOIN pg_catalog.pg_type AS base ON base.oid = typed.type
WHERE base.typtype <> 'd'
ORDER BY typed.place;

-- name: partitions
-- The leaves of a partitioned table: one row a leaf, and whether it can be read by itself as it is read by the table, that is,
-- it is a table of rows that is not being detached, the role may read of it what it may read of the table, and no row security
-- hides rows of it.
WITH RECURSIVE parts AS (
  SELECT class.oid, class.oid AS root, class.relkind, FALSE AS is_leaving
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE namespace.nspname = $schema AND class.relname = $table AND class.relkind = 'p'
  UNION ALL
  SELECT
    class.oid, parts.root, class.relkind,
    parts.is_leaving OR COALESCE(pg_catalog.to_jsonb(inherits) ->> 'inhdetachpending', 'false') = 'true'
  FROM parts
  JOIN pg_catalog.pg_inherits AS inherits ON inherits.inhparent = parts.oid
  JOIN pg_catalog.pg_class AS class ON class.oid = inherits.inhrelid
)
SELECT
  namespace.nspname AS schema,
  class.relname AS "table",
  parts.relkind = 'r'
  AND NOT parts.is_leaving
  AND NOT (class.relrowsecurity AND pg_catalog.row_security_active(class.oid))
  AND has_schema_privilege(namespace.oid, 'USAGE')
  AND NOT EXISTS (
    SELECT 1
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = parts.root
      AND attribute.attnum > 0
      AND NOT attribute.attisdropped
      AND has_column_privilege(parts.root, attribute.attnum, 'SELECT')
      AND NOT COALESCE(has_column_privilege(class.oid, attribute.attname::TEXT, 'SELECT'), FALSE)
  ) AS is_fit
FROM parts
JOIN pg_catalog.pg_class AS class ON class.oid = parts.oid
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE parts.relkind <> 'p'
ORDER BY namespace.nspname, class.relname;

-- name: copy
-- Sends the rows of a query as lines of CSV: a value without quotes that is empty is NULL. `TABLE query` stands for the query.
COPY (TABLE query) TO STDOUT (FORMAT csv);

-- name: content_state
-- What a transaction sees, as one text: transactions with the same text see the same rows. No transaction that writes ended in
-- the cluster between them, for each has a number, which ends in `pg_current_snapshot()`; a rollback counts, too. The cluster
-- (identifier and timeline), its start and the begin of its statistics, which begin anew where a crash may have undone what was
-- not on disk yet, emptied tables that are not logged, and used numbers again; the database and the role. Empty of a standby, and
-- where a table is stored by another's access method, which need not number what writes. One row.
SELECT
  CASE
    WHEN pg_catalog.pg_is_in_recovery() THEN ''
    WHEN EXISTS (
      SELECT 1
      FROM pg_catalog.pg_class AS class
      JOIN pg_catalog.pg_am AS method ON method.oid = class.relam
      WHERE class.relkind IN ('r', 'm') AND method.amname <> 'heap'
    ) THEN ''
    ELSE pg_catalog.concat_ws(
      ' ',
      control.system_identifier,
      pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8),
      pg_catalog.pg_postmaster_start_time(),
      pg_catalog.pg_stat_get_bgwriter_stat_reset_time(),
      database.oid,
      role.oid,
      pg_catalog.pg_current_snapshot()
    )
  END AS state
FROM pg_catalog.pg_control_system() AS control
JOIN pg_catalog.pg_database AS database ON database.datname = pg_catalog.current_database()
JOIN pg_catalog.pg_roles AS role ON role.rolname = current_user;

-- name: altered
-- The relations that this transaction reads and that are other ones than in its snapshot: rewritten or truncated, renamed,
-- made or attached as a partition since. Their rows may be missing, or count twice. One row a relation.
SELECT locks.relation::BIGINT AS number
FROM pg_catalog.pg_locks AS locks
LEFT JOIN pg_catalog.pg_class AS class ON class.oid = locks.relation
LEFT JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE locks.pid = pg_catalog.pg_backend_pid()
  AND locks.locktype = 'relation'
  AND locks.relation >= 16384
  AND (
    class.oid IS NULL
    OR (
      class.relkind IN ('r', 'm', 'p')
      AND (
        (class.relkind <> 'p' AND pg_catalog.pg_relation_filenode(class.oid) IS DISTINCT FROM class.relfilenode)
        OR pg_catalog.to_regclass(format('%%I.%%I', namespace.nspname, class.relname)) IS DISTINCT FROM class.oid
        OR class.relispartition <> (
          pg_catalog.pg_partition_root(class.oid) IS NOT NULL
          AND pg_catalog.pg_partition_root(class.oid) <> class.oid
        )
      )
    )
  );

-- name: facts
-- The settings of a PostgreSQL server for its role: version, time zone, encoding, collation, TLS,
-- whether a table that stays may be made: TEMPORARY is no right to write; what the role may do in the whole server. One row.
SELECT
  current_setting('server_version') AS version,
  current_user::TEXT AS "user",
  (SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'TimeZone') AS time_zone,
  pg_catalog.pg_encoding_to_char(database.encoding)::TEXT AS encoding,
  database.datcollate::TEXT AS collation,
  (SELECT version FROM pg_catalog.pg_stat_ssl WHERE pid = pg_catalog.pg_backend_pid() AND ssl) AS tls,
  pg_catalog.pg_is_in_recovery() AS is_standby,
  (SELECT reset_val = 'on' FROM pg_catalog.pg_settings WHERE name = 'default_transaction_read_only') AS is_read_only,
  has_database_privilege(database.oid, 'CREATE') OR EXISTS (
    SELECT 1
    FROM pg_catalog.pg_namespace AS namespace
    WHERE namespace.nspname NOT LIKE 'pg\_%' AND namespace.nspname <> 'information_schema'
      AND has_schema_privilege(namespace.oid, 'CREATE')
  ) AS may_create,
  (
    SELECT pg_catalog.array_remove(
      ARRAY[
        CASE WHEN role.rolsuper THEN 'SUPERUSER' END,
        CASE WHEN role.rolbypassrls THEN 'BYPASSRLS' END,
        CASE WHEN role.rolcreaterole THEN 'CREATEROLE' END,
        CASE WHEN role.rolcreatedb THEN 'CREATEDB' END,
        CASE WHEN role.rolreplication THEN 'REPLICATION' END
      ],
      NULL
    )
    FROM pg_catalog.pg_roles AS role
    WHERE role.rolname = current_user
  ) AS powers
FROM pg_catalog.pg_database AS database
WHERE database.datname = current_database();

-- name: rights
-- Every table and view of a PostgreSQL database, in order, with what the role may do with it and the server's estimate of its
-- rows, of a partitioned table the sum of its partitions', NULL where it has none: one row a table. A table that is dropped
-- meanwhile may be written by nobody.
WITH RECURSIVE parts AS (
  SELECT class.oid AS root, class.oid AS part
  FROM pg_catalog.pg_class AS class
  WHERE class.relkind IN ('r', 'p', 'm', 'f', 'v')
  UNION ALL
  SELECT parts.root, inherits.inhrelid
  FROM parts
  JOIN pg_catalog.pg_inherits AS inherits ON inherits.inhparent = parts.part
), estimates AS (
  SELECT parts.root, SUM(class.reltuples)::BIGINT AS estimate
  FROM parts
  JOIN pg_catalog.pg_class AS class ON class.oid = parts.part
  WHERE class.relkind IN ('r', 'm', 'f') AND class.reltuples >= 0
  GROUP BY parts.root
)
SELECT
  namespace.nspname::TEXT AS schema,
  class.relname::TEXT AS "table",
  COUNT(*) AS columns,
  COUNT(*) FILTER (
    WHERE has_schema_privilege(namespace.oid, 'USAGE') AND has_column_privilege(class.oid, attribute.attnum, 'SELECT')
  ) AS readable,
  COALESCE(
    has_schema_privilege(namespace.oid, 'USAGE')
      AND (has_table_privilege(class.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR has_any_column_privilege(class.oid, 'INSERT, UPDATE')),
    FALSE
  ) AS may_write,
  MAX(estimates.estimate) AS estimate,
  TRUE AS has_snapshot
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = class.oid
LEFT JOIN estimates ON estimates.root = class.oid
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND attribute.attnum > 0
  AND NOT attribute.attisdropped
  AND namespace.nspname NOT IN ('pg_catalog', 'information_schema')
  AND namespace.nspname NOT LIKE 'pg\_t%%'
GROUP BY namespace.nspname, namespace.oid, class.relname, class.oid
ORDER BY namespace.nspname, class.relname;

-- name: hidden
-- The tables and views of a PostgreSQL database of which the role may read no column: one row a table, in order, with the role,
-- and whether the right to use its schema is there.
SELECT
  namespace.nspname::TEXT AS schema,
  class.relname::TEXT AS "table",
  current_user::TEXT AS role,
  has_schema_privilege(namespace.oid, 'USAGE') AS uses_schema
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE class.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND namespace.nspname NOT LIKE 'pg\_%'
  AND namespace.nspname <> 'information_schema'
  AND NOT (has_schema_privilege(namespace.oid, 'USAGE') AND has_any_column_privilege(class.oid, 'SELECT'))
ORDER BY namespace.nspname, class.relname;

-- name: view_parts
-- What a table or view of a PostgreSQL database is made of, itself included: one row a relation, with its kind and, of a
-- view, its query as the server parsed it; of a table with row security one more row a policy that selects rows, with its
-- condition. The relations that views and policies name are among them, and the children of a table. What a materialized
-- view stores is its own, and of the server's own views nothing is looked at.
WITH RECURSIVE reads AS (
  SELECT class.oid, TRUE AS is_first
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE namespace.nspname = $schema AND class.relname = $table
  UNION
  SELECT inner_part.oid, FALSE
  FROM reads
  JOIN LATERAL (
    SELECT depend.refobjid AS oid
    FROM (
      SELECT 'pg_catalog.pg_rewrite'::regclass AS catalogue, rewrite.oid
      FROM pg_catalog.pg_rewrite AS rewrite
      JOIN pg_catalog.pg_class AS viewed ON viewed.oid = rewrite.ev_class AND viewed.relkind = 'v'
      WHERE rewrite.ev_class = reads.oid AND rewrite.ev_type = '1'
      UNION ALL
      SELECT 'pg_catalog.pg_policy'::regclass, policy.oid
      FROM pg_catalog.pg_policy AS policy
      JOIN pg_catalog.pg_class AS secured ON secured.oid = policy.polrelid AND secured.relrowsecurity
      WHERE policy.polrelid = reads.oid
        AND policy.polcmd IN ('*', 'r')
        AND (NOT reads.is_first OR pg_catalog.row_security_active(policy.polrelid))
    ) AS condition
    JOIN pg_catalog.pg_depend AS depend
      ON depend.objid = condition.oid
      AND depend.classid = condition.catalogue
      AND depend.refclassid = 'pg_catalog.pg_class'::regclass
    WHERE depend.refobjid <> reads.oid
    UNION ALL
    SELECT inherits.inhrelid FROM pg_catalog.pg_inherits AS inherits WHERE inherits.inhparent = reads.oid
  ) AS inner_part ON TRUE
)
SELECT class.relname::TEXT AS "table", class.relkind::TEXT AS kind, '' AS policy, rewrite.ev_action::TEXT AS tree
FROM reads
JOIN pg_catalog.pg_class AS class ON class.oid = reads.oid
LEFT JOIN pg_catalog.pg_rewrite AS rewrite
  ON rewrite.ev_class = class.oid AND rewrite.ev_type = '1' AND class.relkind = 'v'
WHERE class.oid >= 16384
UNION ALL
SELECT class.relname::TEXT, class.relkind::TEXT, policy.polname::TEXT, policy.polqual::TEXT
FROM reads
JOIN pg_catalog.pg_class AS class ON class.oid = reads.oid AND class.relrowsecurity
JOIN pg_catalog.pg_policy AS policy ON policy.polrelid = class.oid AND policy.polcmd IN ('*', 'r')
WHERE policy.polqual IS NOT NULL
  AND (NOT reads.is_first OR pg_catalog.row_security_active(class.oid))
ORDER BY 1, 3;

-- name: called
-- What functions, and the functions of operators and of types that read texts, are declared to be: one row each, by what it
-- is found by: its number, or `$names` that a function's own text calls. `stability`: i, s or v, as `pg_proc.provolatile`;
-- `is_own`: it came with the server. A `text` is what writes the values of a type, or of a type that it is made of. Functions
-- of others in the language SQL have what they are written as: `body` as the server parsed it (PostgreSQL 14 or later), and
-- the text. `takes_fractions`: an argument is a fraction of 4 or 8 bytes.
WITH RECURSIVE written AS (
  SELECT found.oid FROM pg_catalog.pg_type AS found WHERE found.oid = ANY(CAST($written AS OID[]))
  UNION
  SELECT part.oid
  FROM written
  JOIN pg_catalog.pg_type AS whole ON whole.oid = written.oid
  JOIN LATERAL (
    SELECT whole.typelem AS oid
    UNION ALL
    SELECT whole.typbasetype
    UNION ALL
    SELECT ranged.rngsubtype FROM pg_catalog.pg_range AS ranged WHERE ranged.rngtypid = whole.oid
    UNION ALL
    SELECT attribute.atttypid
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = whole.typrelid AND attribute.attnum > 0 AND NOT attribute.attisdropped
  ) AS part ON TRUE
)
SELECT
  called.found_by,
  called.number,
  proc.proname::TEXT AS name,
  proc.provolatile::TEXT AS stability,
  proc.oid < 16384 AS is_own,
  proc.prokind::TEXT AS kind,
  called.type::TEXT AS type,
  CASE WHEN proc.oid >= 16384 AND language.lanname = 'sql' THEN TO_JSONB(proc) ->> 'prosqlbody' END AS body,
  CASE WHEN proc.oid >= 16384 AND language.lanname = 'sql' THEN proc.prosrc END AS source,
  proc.proargtypes::OID[] && ARRAY[700, 701]::OID[] AS takes_fractions
FROM (
  SELECT 'function' AS found_by, found.oid::BIGINT AS number, found.oid AS function, '' AS type
  FROM pg_catalog.pg_proc AS found
  WHERE found.oid = ANY(CAST($functions AS OID[]))
  UNION ALL
  SELECT 'name', found.oid::BIGINT, found.oid, ''
  FROM pg_catalog.pg_proc AS found
  WHERE found.proname = ANY(CAST($names AS TEXT[]))
  UNION ALL
  SELECT 'operator', found.oid::BIGINT, found.oprcode::OID, ''
  FROM pg_catalog.pg_operator AS found
  WHERE found.oid = ANY(CAST($operators AS OID[]))
  UNION ALL
  SELECT 'type', found.oid::BIGINT, found.typinput::OID, pg_catalog.format_type(found.oid, NULL)
  FROM pg_catalog.pg_type AS found
  WHERE found.oid = ANY(CAST($types AS OID[]))
  UNION ALL
  SELECT 'text', found.oid::BIGINT, found.typoutput::OID, pg_catalog.format_type(found.oid, NULL)
  FROM written
  JOIN pg_catalog.pg_type AS found ON found.oid = written.oid
) AS called
JOIN pg_catalog.pg_proc AS proc ON proc.oid = called.function
JOIN pg_catalog.pg_language AS language ON language.oid = proc.prolang
ORDER BY 1, 2;

-- name: loose_collations
-- Of collations of PostgreSQL, by their numbers, those under which texts that differ may be equal. One row each.
SELECT found.oid::BIGINT AS number
FROM pg_catalog.pg_collation AS found
WHERE found.oid = ANY(CAST($collations AS OID[])) AND NOT found.collisdeterministic;

-- name: several_forms
-- Of types of PostgreSQL, by their numbers, what is in them of which values may be equal and differ: numbers without a scale,
-- intervals, fractions (0 and -0), JSON, characters without a length, texts of a loose collation, whole rows. Looked for in
-- the elements of arrays, the fields of rows, what domains and ranges are of. One row each.
WITH RECURSIVE parts AS (
  SELECT found.oid AS whole, found.oid AS part, -1 AS modifier, CAST(0 AS OID) AS collation
  FROM pg_catalog.pg_type AS found
  WHERE found.oid = ANY(CAST($types AS OID[]))
  UNION
  SELECT parts.whole, part.oid, part.modifier, part.collation
  FROM parts
  JOIN pg_catalog.pg_type AS found ON found.oid = parts.part
  JOIN LATERAL (
    SELECT found.typelem AS oid, parts.modifier, parts.collation WHERE found.typlen = -1
    UNION ALL
    SELECT found.typbasetype, found.typtypmod, found.typcollation
    UNION ALL
    SELECT ranged.rngsubtype, -1, ranged.rngcollation
    FROM pg_catalog.pg_range AS ranged
    WHERE found.oid IN (ranged.rngtypid, CAST(TO_JSONB(ranged) ->> 'rngmultitypid' AS OID))
    UNION ALL
    SELECT attribute.atttypid, attribute.atttypmod, attribute.attcollation
    FROM pg_catalog.pg_attribute AS attribute
    WHERE attribute.attrelid = found.typrelid AND attribute.attnum > 0 AND NOT attribute.attisdropped
  ) AS part ON part.oid <> 0
)
SELECT DISTINCT
  parts.whole::BIGINT AS number,
  CASE WHEN loose.oid IS NULL THEN found.typname::TEXT ELSE 'text' END AS kind
FROM parts
JOIN pg_catalog.pg_type AS found ON found.oid = parts.part
LEFT JOIN pg_catalog.pg_collation AS loose ON loose.oid = parts.collation AND NOT loose.collisdeterministic
WHERE loose.oid IS NOT NULL
  OR found.typname IN ('interval', 'float4', 'float8', 'jsonb', 'record') AND found.oid < 16384
  OR found.typname IN ('numeric', 'bpchar') AND found.oid < 16384 AND parts.modifier < 0
ORDER BY 1, 2;

-- name: hold_release
-- Takes the lock of a run until the end of the transaction, and makes its commit outlive a crash. Gives one row.
SELECT
  pg_advisory_xact_lock(hashtextextended('ordermade ' || CAST($run AS TEXT), 0)),
  set_config('synchronous_commit', 'on', TRUE);

-- name: copy_release
-- Takes the rows of a release, as CSV, into its table.
COPY {table} FROM STDIN (FORMAT csv);

-- name: carried_rights
-- The statements that give a table the owner and the grants of the one whose place it takes, in their order. One row is one
-- statement.
WITH named AS (
  SELECT class.oid, class.relname, class.relowner, class.relacl
  FROM pg_catalog.pg_class AS class
  JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
  WHERE namespace.nspname = $schema
),
earlier AS (SELECT * FROM named WHERE relname = $earlier),
later AS (SELECT * FROM named WHERE relname = $later),
statements AS (
  SELECT 1 AS step, '' AS "column", '' AS privilege, FALSE AS is_grantable, earlier.relowner AS role
  FROM earlier, later
  WHERE earlier.relowner <> later.relowner
  UNION ALL
  SELECT DISTINCT 2, '', '', FALSE, granted.grantee
  FROM earlier, later, aclexplode(later.relacl) AS granted
  WHERE granted.grantee NOT IN (earlier.relowner, later.relowner)
  UNION ALL
  SELECT 3, '', granted.privilege_type, granted.is_grantable, granted.grantee
  FROM earlier, aclexplode(earlier.relacl) AS granted
  WHERE granted.grantee <> earlier.relowner
  UNION ALL
  SELECT 3, attribute.attname, granted.privilege_type, granted.is_grantable, granted.grantee
  FROM earlier
  JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = earlier.oid
  JOIN later ON TRUE
  JOIN pg_catalog.pg_attribute AS kept ON kept.attrelid = later.oid AND kept.attname = attribute.attname,
  aclexplode(attribute.attacl) AS granted
  WHERE granted.grantee <> earlier.relowner
)
SELECT CASE step
  WHEN 1 THEN format('ALTER TABLE %I.%I OWNER TO %I', $schema::TEXT, $later::TEXT, pg_get_userbyid(role))
  WHEN 2 THEN format('REVOKE ALL ON TABLE %I.%I FROM %s', $schema::TEXT, $later::TEXT,
    CASE role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(role)) END)
  ELSE format('GRANT %s%s ON TABLE %I.%I TO %s%s', privilege,
    CASE "column" WHEN '' THEN '' ELSE format(' (%I)', "column") END, $schema::TEXT, $later::TEXT,
    CASE role WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(role)) END,
    CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
END AS statement
FROM statements
ORDER BY step;

-- name: rename_table
-- Gives a table another name in its schema. Gives no row.
ALTER TABLE {table} RENAME TO {name};

-- name: create_view
-- Makes a view; functions of a reader's own see no row of it before its guard. Gives no row.
CREATE VIEW {view} WITH (security_barrier = TRUE) AS
{query};

-- name: plan
-- The plan of a statement, which is not run, as one JSON text with the estimated rows of each step: one row.
EXPLAIN (FORMAT JSON) {statement};

-- name: release_marks
-- The comments of what has this name among the tables of a schema; NULL for what is no table, or has none. One row is one
-- table, view, index or sequence.
SELECT CASE WHEN class.relkind = 'r' THEN obj_description(class.oid, 'pg_class') END AS mark
FROM pg_catalog.pg_class AS class
JOIN pg_catalog.pg_namespace AS namespace ON namespace.oid = class.relnamespace
WHERE namespace.nspname = $schema AND class.relname = $table;
