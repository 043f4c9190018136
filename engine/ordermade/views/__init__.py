"""Figures as PNG or SVG. The only room that imports matplotlib, and only when something is drawn."""
