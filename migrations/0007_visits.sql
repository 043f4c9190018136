-- Which visit of the portal a step was taken in, by the id that the log has of the visit.

-- Id of the visit; NULL of what was not done in the portal
ALTER TABLE audit ADD COLUMN visit TEXT;
