"""What releases of small tables tell by being minimal: every table of a domain, two attackers, and a bound."""
