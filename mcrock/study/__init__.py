"""The study file: TOML to a validated `Study`, with every mistake reported at once."""

from typing import TYPE_CHECKING

from mcrock.base.environment import imported_on_use

if TYPE_CHECKING:
    from mcrock.base.tables.parsing import ConfigError
    from mcrock.study.collection import load_collection
    from mcrock.study.load import load_config
    from mcrock.study.new import NewStudy, new_study
    from mcrock.study.study import Study

__all__ = ["ConfigError", "NewStudy", "Study", "load_collection", "load_config", "new_study"]

if not TYPE_CHECKING:
    __getattr__ = imported_on_use(__name__, __file__)
