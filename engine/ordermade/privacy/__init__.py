"""Privacy models of sensitive attributes, one small class and one SQL template each, and risks of re-identification."""
