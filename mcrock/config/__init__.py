"""The study file: TOML to a validated `Study`, with every mistake reported at once."""

from mcrock.config.load import load_config
from mcrock.config.study import Study
from mcrock.tables.errors import ConfigError

__all__ = ["ConfigError", "Study", "load_config"]
