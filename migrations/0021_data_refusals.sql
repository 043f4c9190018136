-- What the data alone decided against a submitted request, counted for each user and dataset: a user who tries one
-- request after the other learns from each.
CREATE SEQUENCE data_refusal_ids;
CREATE TABLE data_refusals (
    id            BIGINT PRIMARY KEY DEFAULT nextval('data_refusal_ids'),
    submission_id BIGINT NOT NULL,
    revision      INTEGER NOT NULL,
    dataset_name  VARCHAR NOT NULL,
    user_name     VARCHAR NOT NULL,
    refused_at    TIMESTAMP NOT NULL,
    reason        VARCHAR NOT NULL
);
COMMENT ON TABLE data_refusals IS 'Submitted requests that the data refused, or sent back to review';
COMMENT ON COLUMN data_refusals.id IS 'Number of the refusal';
COMMENT ON COLUMN data_refusals.submission_id IS 'The submitted request';
COMMENT ON COLUMN data_refusals.revision IS 'Its revision that was in force';
COMMENT ON COLUMN data_refusals.dataset_name IS 'The dataset';
COMMENT ON COLUMN data_refusals.user_name IS 'The user who submitted it';
COMMENT ON COLUMN data_refusals.refused_at IS 'When';
COMMENT ON COLUMN data_refusals.reason IS 'Why, in words for the provider; empty once erased';
