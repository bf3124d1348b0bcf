"""The labelled datasets: of a study, declared, made, checked and stored, and of the history of one run."""

from mcrock.dataset.contents import is_store, replacing
from mcrock.dataset.history import build_history, event_list, events_to_csv
from mcrock.dataset.opened import check_folder, load_dataset, save_dataset, to_frame
from mcrock.dataset.outcome_table import read_outcomes
from mcrock.dataset.schema import (
    OUTPUT,
    SCHEMA,
    DamageError,
    DatasetError,
    Variable,
    attributes,
    build_dataset,
    check_dataset,
    declaration,
    is_declared,
    outputs,
)

__all__ = [
    "OUTPUT",
    "SCHEMA",
    "DamageError",
    "DatasetError",
    "Variable",
    "attributes",
    "build_dataset",
    "build_history",
    "check_dataset",
    "check_folder",
    "declaration",
    "event_list",
    "events_to_csv",
    "is_declared",
    "is_store",
    "load_dataset",
    "outputs",
    "read_outcomes",
    "replacing",
    "save_dataset",
    "to_frame",
]
