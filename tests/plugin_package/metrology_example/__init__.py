"""Plug-ins as somebody else would write them."""
