"""Requests for purchase histories: records out of the database, clusters of customers, their release."""
