"""Offers: the alternatives nearest to a refused request that pass, with their figures and what each gives up."""
