-- Which values does a column have? One row is one value. For the first draft of a hierarchy, of columns with few values.
SELECT DISTINCT CAST(dataset.qi AS VARCHAR) AS value FROM dataset WHERE dataset.qi IS NOT NULL ORDER BY value
