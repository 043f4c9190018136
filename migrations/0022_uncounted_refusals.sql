-- Whether a submitted request was sent back for what the data decided, which counts, or for a fault of the source.
ALTER TABLE data_refusals ADD COLUMN uncounted BOOLEAN;
COMMENT ON COLUMN data_refusals.uncounted IS 'Whether it was no decision of the data, as an outage of a server is none; NULL: it counts';
