-- Releases that the provider put in the catalogue for everybody, and took out of it again.

-- Releases in the catalogue
CREATE TABLE publications (
    -- Number of the publication
    id INTEGER PRIMARY KEY,
    -- The release
    release_id INTEGER NOT NULL,
    -- Its title there, which the provider wrote
    title TEXT NOT NULL,
    -- When it was put there
    published_at TIMESTAMP NOT NULL,
    -- When it was taken out; NULL while not
    ended_at TIMESTAMP
);
