-- The pieces of each item sold in a release. A purchase of a set counts for each good that is in it, or in a class of
-- it, alike. One row is one item.
SELECT goods.item, share.sold
FROM (
  SELECT released_sets.element, SUM(bought.sold / released_sets.goods) AS sold
  FROM (
    SELECT
      released_records.item_set,
      SUM((released_records.low_quantity + released_records.high_quantity) / 2) AS sold
    FROM released_records
    WHERE released_records.low_quantity IS NOT NULL
    GROUP BY released_records.item_set
  ) AS bought
  JOIN released_sets ON bought.item_set = released_sets.item_set
  GROUP BY released_sets.element
) AS share
JOIN elements ON share.element = elements.element
JOIN goods ON elements.label = goods.class
