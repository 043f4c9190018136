"""The methods of release, a room each, and `shared`: the parts that every method uses."""
