"""Settings of the property tests: no deadline, because shared machines stall."""

from hypothesis import settings

settings.register_profile("statistics", deadline=None, max_examples=40)
if settings.get_current_profile_name() == "default":
    settings.load_profile("statistics")
