-- The classes of one node by size and by whether a model fails there. One row is one such pair, with the number of classes.
SELECT sized.size AS size, sized.fails AS fails, COUNT(*) AS classes FROM sized GROUP BY sized.size, sized.fails
