"""The study file: TOML to a validated `Study`, with every mistake reported at once."""

from mcrock.base.tables.errors import ConfigError
from mcrock.study.load import load_config
from mcrock.study.study import Study

__all__ = ["ConfigError", "Study", "load_config"]
