-- Evidence of tampering: the audit as a chain of hashes, a seal of each row of the state, and the hashes of certificates.
-- What is there already is chained and sealed in the same transaction (`state/seals.py`).

ALTER TABLE audit ADD COLUMN hash VARCHAR;
COMMENT ON COLUMN audit.hash IS 'SHA-256 of the hash of the entry before, a line feed and the entry as canonical JSON';

CREATE TABLE audit_head (
    number BIGINT NOT NULL,
    hash   VARCHAR NOT NULL
);
COMMENT ON TABLE audit_head IS 'The last entry of the audit; one row';
COMMENT ON COLUMN audit_head.number IS 'Its number; 0 before the first';
COMMENT ON COLUMN audit_head.hash IS 'Its hash; zeros before the first';
INSERT INTO audit_head VALUES (0, REPEAT('0', 64));

CREATE SEQUENCE seal_numbers;
CREATE TABLE seals (
    number     BIGINT NOT NULL DEFAULT nextval('seal_numbers'),
    table_name VARCHAR NOT NULL,
    owner      BIGINT NOT NULL,
    part       VARCHAR NOT NULL,
    seal       UBIGINT
);
COMMENT ON TABLE seals IS 'Seals of the rows of the other tables, as they were written; the last one of a row is in force';
COMMENT ON COLUMN seals.number IS 'Number of the seal: a later one of the same row is in its place';
COMMENT ON COLUMN seals.table_name IS 'Table of the row';
COMMENT ON COLUMN seals.owner IS 'First column of its key; 0 where that is no whole number';
COMMENT ON COLUMN seals.part IS 'The other columns of its key, with commas between them; empty where there are none';
COMMENT ON COLUMN seals.seal IS 'The last 64 bits of the MD5 of its content; NULL where the row was erased';

ALTER TABLE requests ADD COLUMN request VARCHAR;
COMMENT ON COLUMN requests.request IS 'The request as canonical JSON, to ask it again; NULL before migration 0014';

CREATE SEQUENCE certificate_ids;
CREATE TABLE certificates (
    id         BIGINT PRIMARY KEY DEFAULT nextval('certificate_ids'),
    request_id BIGINT,
    path       VARCHAR NOT NULL,
    sha256     VARCHAR NOT NULL,
    written_at TIMESTAMP NOT NULL
);
COMMENT ON TABLE certificates IS 'Certificates that were written, by their hashes';
COMMENT ON COLUMN certificates.id IS 'Number of the certificate';
COMMENT ON COLUMN certificates.request_id IS 'The request whose result it is about; NULL where none was noted';
COMMENT ON COLUMN certificates.path IS 'File written';
COMMENT ON COLUMN certificates.sha256 IS 'SHA-256 of the file';
COMMENT ON COLUMN certificates.written_at IS 'When it was written';
