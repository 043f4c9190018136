-- Lists of offers, kept whole: the same request on the same dataset version is offered what was found before. They have
-- what Mondrian comes to, which was kept by itself.
DROP TABLE mondrian_offers;
DROP SEQUENCE mondrian_offer_ids;
DELETE FROM seals WHERE table_name = 'mondrian_offers';

CREATE SEQUENCE offer_list_ids;
CREATE TABLE offer_lists (
    id                 BIGINT PRIMARY KEY DEFAULT nextval('offer_list_ids'),
    request_id         BIGINT NOT NULL,
    dataset_version_id BIGINT NOT NULL,
    list_hash          VARCHAR NOT NULL,
    engine_version     VARCHAR NOT NULL,
    offers             VARCHAR NOT NULL,
    left_out           VARCHAR NOT NULL
);
COMMENT ON TABLE offer_lists IS 'Lists of offers that no budget ended: what passes instead of a refused request';
COMMENT ON COLUMN offer_lists.id IS 'Number of the list';
COMMENT ON COLUMN offer_lists.request_id IS 'The refused request that it was made for';
COMMENT ON COLUMN offer_lists.dataset_version_id IS 'Dataset version its figures are of';
COMMENT ON COLUMN offer_lists.list_hash IS 'SHA-256 of the refused request, its hierarchies and the terms of its dataset';
COMMENT ON COLUMN offer_lists.engine_version IS 'Version of the engine that made it';
COMMENT ON COLUMN offer_lists.offers IS 'The concession of each offer with its figures, as JSON';
COMMENT ON COLUMN offer_lists.left_out IS 'How the list falls short, in words, as JSON';
