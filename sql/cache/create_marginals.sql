-- Makes the list of the stored marginals. One row: a level of a column of a dataset version, with the histogram of its
-- class sizes: sizes, and the number of values with each.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.marginals (
    dataset_version_id BIGINT NOT NULL,
    column_name        VARCHAR NOT NULL,
    level_hash         VARCHAR NOT NULL,
    class_sizes        BIGINT[] NOT NULL,
    class_counts       BIGINT[] NOT NULL,
    created_at         TIMESTAMP NOT NULL,
    last_used_at       TIMESTAMP NOT NULL
)
