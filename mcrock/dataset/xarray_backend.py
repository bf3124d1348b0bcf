"""Stores of `mcrock run` as xarray opens them itself: `xarray.open_dataset("first.zarr")`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xarray.backends import BackendEntrypoint

from mcrock.dataset.contents import STUDY

if TYPE_CHECKING:
    import xarray as xr


class StoreBackend(BackendEntrypoint):
    """The engine ``"mcrock"`` of `xarray.open_dataset`, which xarray finds by its entry point."""

    description = "Open stores that mcrock run writes"
    open_dataset_parameters = ("filename_or_obj", "drop_variables", "allow_incomplete")

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is the folder of a store: xarray asks of whatever anybody opens."""
        return isinstance(filename_or_obj, str | os.PathLike) and os.path.isfile(
            os.path.join(filename_or_obj, STUDY)
        )

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        allow_incomplete: bool = False,
    ) -> xr.Dataset:
        """Open a store as `mcrock.load_dataset` does, with its errors; xarray makes the chunks.

        Parameters
        ----------
        filename_or_obj : str or Path
            Folder of the store.
        drop_variables : str or iterable of str, optional
            Variables to leave out.
        allow_incomplete : bool
            Accept a store in which runs are missing; they have the outcome ``not_run``.

        Raises
        ------
        DatasetError, DamageError
            As `mcrock.load_dataset`.
        """
        from mcrock.dataset.opened import load_dataset  # what it loads is not needed to guess

        ds = load_dataset(Path(filename_or_obj), allow_incomplete=allow_incomplete)
        dropped = [drop_variables] if isinstance(drop_variables, str) else list(drop_variables or [])
        found = ds.drop_vars(dropped, errors="ignore")
        found.set_close(ds.close)
        return found
