-- The submitted request of a number: its own, or that of a request that ran for it. One row: its own number.
-- $number = 1
SELECT id FROM submissions WHERE id = $number OR request_id = $number
