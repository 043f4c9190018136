-- The figures of Mondrian that lists of offers had, so that the next list of the same request on the same dataset version
-- need not split every row again.
CREATE SEQUENCE mondrian_offer_ids;
CREATE TABLE mondrian_offers (
    id                 BIGINT PRIMARY KEY DEFAULT nextval('mondrian_offer_ids'),
    dataset_version_id BIGINT NOT NULL,
    list_hash          VARCHAR NOT NULL,
    engine_version     VARCHAR NOT NULL,
    variant            VARCHAR,
    k                  BIGINT,
    divisions          BIGINT,
    losses             VARCHAR
);
COMMENT ON TABLE mondrian_offers IS 'What Mondrian comes to for requests that are refused, as lists of offers have it';
COMMENT ON COLUMN mondrian_offers.id IS 'Number of the figures';
COMMENT ON COLUMN mondrian_offers.dataset_version_id IS 'Dataset version they are of';
COMMENT ON COLUMN mondrian_offers.list_hash IS 'SHA-256 of the refused request, its hierarchies and the terms of its dataset';
COMMENT ON COLUMN mondrian_offers.engine_version IS 'Version of the engine that split the rows';
COMMENT ON COLUMN mondrian_offers.variant IS 'The first variant that passes; NULL where none does, and then there are no figures';
COMMENT ON COLUMN mondrian_offers.k IS 'Rows (or persons) of the smallest class';
COMMENT ON COLUMN mondrian_offers.divisions IS 'Number of classes';
COMMENT ON COLUMN mondrian_offers.losses IS 'Losses by name, as JSON';
