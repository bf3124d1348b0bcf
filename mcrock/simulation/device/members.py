"""Members of an IntEnum as indices of arrays, and code at an address, which numba-cuda does not have."""

from __future__ import annotations

import operator
from functools import cache
from math import nan
from typing import Any

from mcrock.impact.own import at_address


@cache
def allow_members() -> None:
    """Have numba-cuda take ``array[Column.NAME]`` and ``array[i, Column.NAME]``, read or assigned to."""
    from numba.cuda import types
    from numba.cuda.extending import overload
    from numba.cuda.typing.arraydecl import GetItemBuffer, SetItemBuffer
    from numba.cuda.typing.templates import infer_global

    @overload(at_address)
    def no_address(address, inertia, mass, height, old, new, rate, parameter):  # type: ignore[no-untyped-def]
        # a law of a user, which has one, is refused
        return lambda address, inertia, mass, height, old, new, rate, parameter: nan

    def as_integers(index: Any) -> Any:
        if isinstance(index, types.IntEnumMember):
            return types.intp
        if isinstance(index, types.BaseTuple):
            return types.BaseTuple.from_types([as_integers(item) for item in index])
        return index

    @infer_global(operator.getitem)
    class GetByMember(GetItemBuffer):
        def generic(self, args: Any, kws: Any) -> Any:
            array, index = args
            return super().generic((array, as_integers(index)), kws)

    @infer_global(operator.setitem)
    class SetByMember(SetItemBuffer):
        def generic(self, args: Any, kws: Any) -> Any:
            array, index, value = args
            return super().generic((array, as_integers(index), value), kws)
