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
  )
