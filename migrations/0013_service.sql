-- The service: who may act, the policy of each dataset, submitted requests with their reviews, forecasts, and opt-outs.

CREATE SEQUENCE user_ids;
CREATE TABLE users (
    id         BIGINT PRIMARY KEY DEFAULT nextval('user_ids'),
    name       VARCHAR NOT NULL,
    roles      VARCHAR[] NOT NULL,
    added_at   TIMESTAMP NOT NULL,
    removed_at TIMESTAMP
);
COMMENT ON TABLE users IS 'Who may act besides the provider at the shell; a name is unique among those not removed';
COMMENT ON COLUMN users.id IS 'Number of the user';
COMMENT ON COLUMN users.name IS 'Name the provider gave';
COMMENT ON COLUMN users.roles IS 'data user, reviewer, provider: one or more';
COMMENT ON COLUMN users.added_at IS 'When the user was added';
COMMENT ON COLUMN users.removed_at IS 'When the user was removed; NULL while not';

CREATE SEQUENCE token_ids;
CREATE TABLE tokens (
    id         BIGINT PRIMARY KEY DEFAULT nextval('token_ids'),
    user_id    BIGINT NOT NULL,
    token_hash VARCHAR NOT NULL UNIQUE,
    scope      VARCHAR[] NOT NULL,
    made_at    TIMESTAMP NOT NULL,
    expires_at TIMESTAMP NOT NULL,
    revoked_at TIMESTAMP
);
COMMENT ON TABLE tokens IS 'Tokens by which users act; the token itself is printed once and kept nowhere';
COMMENT ON COLUMN tokens.id IS 'Number of the token';
COMMENT ON COLUMN tokens.user_id IS 'Whose it is';
COMMENT ON COLUMN tokens.token_hash IS 'SHA-256 of the token';
COMMENT ON COLUMN tokens.scope IS 'Roles that the token may act in: all of its user, or fewer';
COMMENT ON COLUMN tokens.made_at IS 'When it was made';
COMMENT ON COLUMN tokens.expires_at IS 'When it stops to be accepted';
COMMENT ON COLUMN tokens.revoked_at IS 'When it was revoked; NULL while not';

CREATE SEQUENCE policy_ids;
CREATE TABLE policies (
    id           BIGINT PRIMARY KEY DEFAULT nextval('policy_ids'),
    dataset_name VARCHAR NOT NULL,
    version      INTEGER NOT NULL,
    policy       VARCHAR NOT NULL,
    policy_hash  VARCHAR NOT NULL,
    set_at       TIMESTAMP NOT NULL,
    UNIQUE (dataset_name, version)
);
COMMENT ON TABLE policies IS 'Policies of datasets, every version; the last one of a dataset is in force';
COMMENT ON COLUMN policies.id IS 'Number of the policy';
COMMENT ON COLUMN policies.dataset_name IS 'The dataset it is for';
COMMENT ON COLUMN policies.version IS 'Version, from 1, in the order they were set';
COMMENT ON COLUMN policies.policy IS 'The policy as canonical JSON';
COMMENT ON COLUMN policies.policy_hash IS 'SHA-256 of the policy';
COMMENT ON COLUMN policies.set_at IS 'When it was set';

-- Submitted requests take their numbers from the sequence of requests, so that a number is one thing alone.
CREATE TABLE submissions (
    id           BIGINT PRIMARY KEY DEFAULT nextval('request_ids'),
    title        VARCHAR NOT NULL,
    dataset_name VARCHAR NOT NULL,
    submitted_by VARCHAR NOT NULL,
    status       VARCHAR NOT NULL,
    revision     INTEGER NOT NULL,
    submitted_at TIMESTAMP NOT NULL,
    moved_at     TIMESTAMP NOT NULL,
    expires_at   TIMESTAMP,
    supersedes   BIGINT,
    request_id   BIGINT,
    release_id   BIGINT,
    claim        VARCHAR
);
COMMENT ON TABLE submissions IS 'Requests that data users submitted, and where each stands';
COMMENT ON COLUMN submissions.id IS 'Number of the submitted request; its run has a number of its own';
COMMENT ON COLUMN submissions.title IS 'Title of the request';
COMMENT ON COLUMN submissions.dataset_name IS 'The dataset it asks of';
COMMENT ON COLUMN submissions.submitted_by IS 'Name of the user who submitted it, the recipient of its release';
COMMENT ON COLUMN submissions.status IS 'State of the lifecycle it is in';
COMMENT ON COLUMN submissions.revision IS 'Number of its revision in force, from 1';
COMMENT ON COLUMN submissions.submitted_at IS 'When it was submitted';
COMMENT ON COLUMN submissions.moved_at IS 'When it last moved';
COMMENT ON COLUMN submissions.expires_at IS 'When it expires by the policy; NULL if never';
COMMENT ON COLUMN submissions.supersedes IS 'The submitted request or the request that it does again on a new version; NULL if none';
COMMENT ON COLUMN submissions.request_id IS 'The request that ran for it last; NULL before';
COMMENT ON COLUMN submissions.release_id IS 'The release that came out; NULL before';
COMMENT ON COLUMN submissions.claim IS 'The locked folder beside the state of the process that runs it; NULL while none does';

CREATE TABLE submission_revisions (
    submission_id BIGINT NOT NULL,
    revision      INTEGER NOT NULL,
    request       VARCHAR NOT NULL,
    request_hash  VARCHAR NOT NULL,
    meaning_hash  VARCHAR NOT NULL,
    prediction    VARCHAR NOT NULL,
    chance        DOUBLE,
    made_by       VARCHAR NOT NULL,
    made_at       TIMESTAMP NOT NULL,
    reason        VARCHAR,
    PRIMARY KEY (submission_id, revision)
);
COMMENT ON TABLE submission_revisions IS 'The text of a submitted request at each revision';
COMMENT ON COLUMN submission_revisions.submission_id IS 'The submitted request';
COMMENT ON COLUMN submission_revisions.revision IS 'Number of the revision, from 1';
COMMENT ON COLUMN submission_revisions.request IS 'The request as YAML';
COMMENT ON COLUMN submission_revisions.request_hash IS 'SHA-256 of the request';
COMMENT ON COLUMN submission_revisions.meaning_hash IS 'SHA-256 of the request with the contents of the hierarchies and files that it names';
COMMENT ON COLUMN submission_revisions.prediction IS 'What was predicted of it, in words, without counts';
COMMENT ON COLUMN submission_revisions.chance IS 'The predicted chance that it passes; NULL if unknown';
COMMENT ON COLUMN submission_revisions.made_by IS 'Who made the revision';
COMMENT ON COLUMN submission_revisions.made_at IS 'When';
COMMENT ON COLUMN submission_revisions.reason IS 'Why, in one line; NULL if none was given';

CREATE TABLE reviews (
    submission_id BIGINT NOT NULL,
    revision      INTEGER NOT NULL,
    reviewer      VARCHAR NOT NULL,
    vote          VARCHAR NOT NULL CHECK (vote IN ('approve', 'refuse')),
    reason        VARCHAR,
    policy_id     BIGINT,
    dataset_version_id BIGINT,
    meaning_hash  VARCHAR NOT NULL,
    voted_at      TIMESTAMP NOT NULL,
    reset_at      TIMESTAMP,
    PRIMARY KEY (submission_id, revision, reviewer, voted_at)
);
COMMENT ON TABLE reviews IS 'Votes of reviewers on a revision; an edit, another policy or another version resets them';
COMMENT ON COLUMN reviews.submission_id IS 'The submitted request';
COMMENT ON COLUMN reviews.revision IS 'The revision that was reviewed';
COMMENT ON COLUMN reviews.reviewer IS 'Name of the reviewer';
COMMENT ON COLUMN reviews.vote IS 'approve or refuse';
COMMENT ON COLUMN reviews.reason IS 'Why, in one line; NULL if none was given';
COMMENT ON COLUMN reviews.policy_id IS 'The policy in force then; NULL if none';
COMMENT ON COLUMN reviews.dataset_version_id IS 'The dataset version then; NULL if it could not be looked at';
COMMENT ON COLUMN reviews.meaning_hash IS 'Hash of what the request meant then, as of its revision';
COMMENT ON COLUMN reviews.voted_at IS 'When';
COMMENT ON COLUMN reviews.reset_at IS 'When the vote was reset; NULL while it counts';

CREATE TABLE accepted_terms (
    dataset_name VARCHAR NOT NULL,
    user_name    VARCHAR NOT NULL,
    terms_hash   VARCHAR NOT NULL,
    accepted_at  TIMESTAMP NOT NULL,
    PRIMARY KEY (dataset_name, user_name, terms_hash)
);
COMMENT ON TABLE accepted_terms IS 'Who accepted which terms of a dataset';
COMMENT ON COLUMN accepted_terms.dataset_name IS 'The dataset';
COMMENT ON COLUMN accepted_terms.user_name IS 'Name of the user';
COMMENT ON COLUMN accepted_terms.terms_hash IS 'SHA-256 of the terms';
COMMENT ON COLUMN accepted_terms.accepted_at IS 'When';

CREATE SEQUENCE forecast_ids;
CREATE TABLE forecasts (
    id                 BIGINT PRIMARY KEY DEFAULT nextval('forecast_ids'),
    request_hash       VARCHAR NOT NULL,
    dataset_name       VARCHAR NOT NULL,
    dataset_version_id BIGINT,
    predictor          VARCHAR,
    chance             DOUBLE,
    proved             BOOLEAN NOT NULL,
    k                  DOUBLE,
    questions          DOUBLE,
    seconds            DOUBLE,
    made_at            TIMESTAMP NOT NULL
);
COMMENT ON TABLE forecasts IS 'Forecasts that were given of requests; what came out is in the request of the same hash that ran next';
COMMENT ON COLUMN forecasts.id IS 'Number of the forecast';
COMMENT ON COLUMN forecasts.request_hash IS 'SHA-256 of the request as understood, as in requests';
COMMENT ON COLUMN forecasts.dataset_name IS 'Dataset it asks of, by name, or a word for an inline one';
COMMENT ON COLUMN forecasts.dataset_version_id IS 'Version that the forecast rests on; NULL if none was ever seen';
COMMENT ON COLUMN forecasts.predictor IS 'The predictor; NULL where too little was known for any';
COMMENT ON COLUMN forecasts.chance IS 'Probability, 0 to 1, that the request is released; NULL if unknown';
COMMENT ON COLUMN forecasts.proved IS 'Whether the chance is proved, and so 0 or 1';
COMMENT ON COLUMN forecasts.k IS 'k expected of the node expected; NULL if none';
COMMENT ON COLUMN forecasts.questions IS 'Nodes that the search is expected to measure; NULL if unknown';
COMMENT ON COLUMN forecasts.seconds IS 'Seconds that the run is expected to take; NULL if unknown';
COMMENT ON COLUMN forecasts.made_at IS 'When it was given';

CREATE TABLE forecast_levels (
    forecast_id BIGINT NOT NULL,
    position    INTEGER NOT NULL,
    column_name VARCHAR NOT NULL,
    level       INTEGER NOT NULL,
    level_name  VARCHAR NOT NULL,
    PRIMARY KEY (forecast_id, position)
);
COMMENT ON TABLE forecast_levels IS 'The level expected of each column, where a node is expected to pass';
COMMENT ON COLUMN forecast_levels.forecast_id IS 'The forecast';
COMMENT ON COLUMN forecast_levels.position IS 'Place of the column in the request, from 0';
COMMENT ON COLUMN forecast_levels.column_name IS 'Column of the dataset';
COMMENT ON COLUMN forecast_levels.level IS 'Level number expected';
COMMENT ON COLUMN forecast_levels.level_name IS 'Its name';

ALTER TABLE audit ADD COLUMN data VARCHAR;
COMMENT ON COLUMN audit.data IS 'The rows that a step of the service wrote, as canonical JSON; NULL of other entries';
ALTER TABLE release_columns ADD COLUMN loss_share DOUBLE;
COMMENT ON COLUMN release_columns.loss_share IS 'Loss of the column, from 0 (as it was) to 1 (all gone); NULL where none is known';
