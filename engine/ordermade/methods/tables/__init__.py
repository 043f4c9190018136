"""Tables with totals: counted by one statement, protected together, written, and verified from what was written."""
