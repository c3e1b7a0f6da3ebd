"""The tables and small programs from which ``make_items.py`` writes the item files of gauge."""
