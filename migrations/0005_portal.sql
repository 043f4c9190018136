-- What the portal knows users by: passwords, and sessions in a browser.

-- Passwords of users who log in to the portal
CREATE TABLE passwords (
    -- Whose it is
    user_id INTEGER PRIMARY KEY,
    -- Argon2id hash of the password, with its salt and its costs
    password_hash TEXT NOT NULL,
    -- When it was set
    set_at TIMESTAMP NOT NULL
);

-- Sessions of users who are logged in to the portal; the id itself is in the browser alone
CREATE TABLE sessions (
    -- Number of the session
    id INTEGER PRIMARY KEY,
    -- Whose it is
    user_id INTEGER NOT NULL,
    -- SHA-256 of the id
    session_hash TEXT NOT NULL,
    -- When it began
    began_at TIMESTAMP NOT NULL,
    -- When it was last used, to the minute
    used_at TIMESTAMP NOT NULL,
    -- When it ends at the latest
    expires_at TIMESTAMP NOT NULL,
    -- When it was ended; NULL while not
    ended_at TIMESTAMP,
    UNIQUE (session_hash)
);
