-- What users and reviewers say about a request, at one thing in it: no decision.

-- Comments on submitted requests
CREATE TABLE comments (
    -- Number of the comment
    id INTEGER PRIMARY KEY,
    -- The submitted request
    submission_id INTEGER NOT NULL,
    -- The revision that was in force then
    revision INTEGER NOT NULL,
    -- What it is about: request, k, suppression, filter, column:NAME or check:NAME
    about TEXT NOT NULL,
    -- Who made it
    made_by TEXT NOT NULL,
    -- When
    made_at TIMESTAMP NOT NULL,
    -- The text, in one line; empty once it was erased
    text TEXT NOT NULL
);
