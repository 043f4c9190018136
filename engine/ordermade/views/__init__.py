"""What a screen shows of a record: facts, tables, and plots of what the command line alone draws."""
