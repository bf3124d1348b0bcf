"""The labelled datasets: of a study, declared, made, checked and stored, and of the history of one run."""

from mcrock.dataset.damage import (
    FILES,
    DamageError,
    chunk_file,
    explained,
    is_store,
    missing_files,
    read_attributes,
    read_marks,
)
from mcrock.dataset.files import check_folder, load_dataset, replacing, save_dataset
from mcrock.dataset.history import build_history, event_list, events_to_csv
from mcrock.dataset.schema import (
    OUTPUT,
    SCHEMA,
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
    "FILES",
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
    "chunk_file",
    "declaration",
    "event_list",
    "events_to_csv",
    "explained",
    "is_declared",
    "is_store",
    "load_dataset",
    "missing_files",
    "outputs",
    "read_attributes",
    "read_marks",
    "replacing",
    "save_dataset",
]
