-- Makes the database file of the demo, or opens it to write.
ATTACH ':memory:' AS demo
