-- Mail to users on their requests: where it goes to, and what is yet to be sent.

-- Address that mail on requests goes to; NULL: none is sent
ALTER TABLE users ADD COLUMN mail TEXT;

-- Messages to be sent, and for a time those that were
CREATE TABLE mails (
    -- Number of the message
    id INTEGER PRIMARY KEY,
    -- Whom it goes to
    user_id INTEGER NOT NULL,
    -- Submitted request that it is on; NULL of the list of requests that wait for a reviewer
    submission_id INTEGER,
    -- State that the request moved to; NULL of such a list
    status TEXT,
    -- Random part of its Message-ID, by which one that was sent twice is known
    message_id TEXT NOT NULL,
    -- When it was made, in the transaction of the move
    made_at TIMESTAMP NOT NULL,
    -- When it is to be sent, or tried again
    due_at TIMESTAMP NOT NULL,
    -- Tries so far
    attempts INTEGER NOT NULL,
    -- When it was sent, given up or left out; NULL before
    ended_at TIMESTAMP,
    -- sent, given up or left out; NULL before
    outcome TEXT
);

CREATE INDEX mails_by_end ON mails (ended_at, due_at);
