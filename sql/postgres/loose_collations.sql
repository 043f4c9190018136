-- Of collations of PostgreSQL, by their numbers, those under which texts that differ may be equal. One row each.
SELECT found.oid::BIGINT AS number
FROM pg_catalog.pg_collation AS found
WHERE found.oid = ANY(CAST($collations AS OID[])) AND NOT found.collisdeterministic
