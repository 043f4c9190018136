-- What users asked forecasts of while they chose, so that they ask of no more than the policy allows.

-- Requests that a user had a forecast of, each counted once in a period
CREATE TABLE live_forecasts (
    -- Number
    id INTEGER PRIMARY KEY,
    -- Dataset it asks of
    dataset_name TEXT NOT NULL,
    -- The user
    user_name TEXT NOT NULL,
    -- SHA-256 of the request as understood, as in requests
    request_hash TEXT NOT NULL,
    -- When
    asked_at TIMESTAMP NOT NULL
);
