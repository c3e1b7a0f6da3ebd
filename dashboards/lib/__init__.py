"""What the pages share: the read-only workspace, the choice of a version, tables, and the view of an answer."""
