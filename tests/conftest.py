"""Property tests are not timed: a busy machine or the first compilation must not fail one."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
