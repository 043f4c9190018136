-- Makes the list of the columns of the stored sets. One row: a column of a set; column c<position + 1> of fs_<id>.
-- after: attach
CREATE TABLE IF NOT EXISTS ordermade_cache.main.frequency_set_columns (
    set_id         BIGINT NOT NULL,
    position       INTEGER NOT NULL,
    column_name    VARCHAR NOT NULL,
    hierarchy_hash VARCHAR NOT NULL,
    base_level     INTEGER NOT NULL,
    PRIMARY KEY (set_id, position)
)
