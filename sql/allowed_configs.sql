-- The settings that a closed database may still change. Gives no row.
SET allowed_configs = ['threads', 'memory_limit']
