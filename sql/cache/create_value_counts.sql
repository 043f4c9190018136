-- Makes the list of the stored counts of values. One row: a column of a dataset version as it was counted; its counts
-- are in the table vc_<id>.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.value_counts (
    id                 BIGINT PRIMARY KEY,
    dataset_version_id BIGINT NOT NULL,
    column_name        VARCHAR NOT NULL,
    hierarchy_hash     VARCHAR NOT NULL,
    base_level         INTEGER NOT NULL,
    statement_hash     VARCHAR NOT NULL,
    fingerprint        VARCHAR NOT NULL,
    bytes              BIGINT NOT NULL,
    created_at         TIMESTAMP NOT NULL,
    last_used_at       TIMESTAMP NOT NULL
)
