-- Marks a table as a release of the engine's own, so that a later release may take its place. Gives no row.
COMMENT ON TABLE released IS 'release of ordermade'
