"""Where the trials of a campaign are carried out. The coordinator alone writes results."""
