-- Hierarchies of users: each is of one user, who made it for one column of one dataset.

-- The hierarchies that users uploaded, in use or not
CREATE TABLE user_hierarchies (
    -- The hierarchy, whose name begins with that of its user
    hierarchy_id INTEGER PRIMARY KEY REFERENCES hierarchies (id) DEFERRABLE INITIALLY DEFERRED,
    -- User who uploaded it, and who alone may name it in requests
    user_name TEXT NOT NULL,
    -- Dataset that it is for
    dataset_name TEXT NOT NULL,
    -- Column that it is for, as the dataset has it
    column_name TEXT NOT NULL,
    -- Its text as it was uploaded, for its reviewers
    text TEXT NOT NULL,
    -- Bytes of the text, in UTF-8
    size INTEGER NOT NULL,
    -- When it was uploaded
    uploaded_at TIMESTAMP NOT NULL
);
