-- The number of attacked customers, and of those that the attack named by their own pseudonym. One row.
SELECT COUNT(*) AS attempts, COUNT_IF(attack_named.customer = truth.customer) AS hits
FROM attack_named
LEFT JOIN truth ON attack_named.pseudonym = truth.pseudonym
