-- Makes the list of the stored frequency sets. One row: a set; its cells are in the table fs_<id>.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.frequency_sets (
    id                 BIGINT PRIMARY KEY,
    dataset_version_id BIGINT NOT NULL,
    source_rows        BIGINT NOT NULL,
    length             BIGINT NOT NULL,
    bytes              BIGINT NOT NULL,
    created_at         TIMESTAMP NOT NULL,
    last_used_at       TIMESTAMP NOT NULL
)
