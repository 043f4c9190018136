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
ORDER BY step
