"""A plug-in that cannot be imported on this machine."""

raise RuntimeError("needs a driver that is not installed")
