"""Tables of spectra: few rows, all bands, ends that can be told apart."""

from itertools import pairwise

import numpy as np
import pytest
import xarray as xr

from mcrock.excitation import Motion, one_sine
from mcrock.planar import overturning_spectrum, rocking_spectrum
from mcrock.show.spectrum import _limits_between as limits
from mcrock.show.spectrum import (
    overturning_table,
    plot_overturning_spectrum,
    plot_rocking_spectrum,
    rocking_table,
)


def test_tables_have_few_rows_and_all_bands():
    ds = overturning_spectrum(one_sine(1.0, 6.0), [0.2, 0.25], np.linspace(1, 10, 40), scan=100)
    heads, rows = overturning_table(ds)
    assert heads == ["omega_p/p", "slenderness [deg]", "overturns at (after impacts)"]
    assert len(rows) == 24
    assert {row[1] for row in rows} == {"11.5", "14.3"}
    assert rows[4][2].count("(1)") == rows[4][2].count("(0)") == 1
    short = overturning_spectrum(one_sine(1.0, 6.0), 0.2, [30.0], largest_amplitude=5.0, scan=100)
    assert overturning_table(short)[1] == [["30", "11.5", "stands"]]


def test_what_xarray_selects_is_drawn_and_told():
    """By `sel` of one value, by `where`, and put together again; what is cut through is refused by name."""
    ratios = np.linspace(1, 10, 10)
    ds = overturning_spectrum(one_sine(1.0, 6.0), [0.2, 0.25], ratios, scan=50)
    heads, rows = overturning_table(ds)
    of = {name: [row for row in rows if row[1] == name] for name in ("11.5", "14.3")}
    assert overturning_table(ds.sel(slenderness=0.2)) == (heads, of["11.5"])
    assert overturning_table(ds.sel(frequency_ratio=3.0))[1] == [row for row in rows if row[0] == "3"]
    assert overturning_table(ds.where(ds.frequency_ratio > 3))[1] == [
        row for row in rows if float(row[0]) > 3
    ]
    parts = [
        overturning_spectrum(one_sine(1.0, 6.0), 0.2, part, scan=50) for part in (ratios[:2], ratios[2:])
    ]
    assert parts[0].sizes["band"] != parts[1].sizes["band"]
    assert (
        overturning_table(xr.concat(parts, "frequency_ratio", join="outer", data_vars="all"))[1] == of["11.5"]
    )
    for part in (
        ds.sel(frequency_ratio=3.0, slenderness=0.2),
        ds.where(ds.frequency_ratio > 3),
        ds.isel(motion=0),
    ):
        plot_overturning_spectrum(part)
    with pytest.raises(ValueError, match="empty in places: select whole values of motion, slenderness, freq"):
        overturning_table(ds.where((ds.frequency_ratio > 3) | (ds.slenderness > 0.22)))
    with pytest.raises(ValueError, match="lacks its coordinate slenderness"):
        plot_overturning_spectrum(ds.isel(slenderness=0, drop=True))
    tilts = rocking_spectrum(one_sine(1.0, 6.0), [0.2, 0.25], [1.0, 2.0, 4.0])
    heads, rows = rocking_table(tilts)
    assert rocking_table(tilts.sel(slenderness=0.25)) == (
        [heads[0], heads[2]],
        [[row[0], row[2]] for row in rows],
    )
    assert rocking_table(tilts.where(tilts.period > 1))[1] == rows[1:]
    plot_rocking_spectrum(tilts.sel(period=2.0))


def test_the_last_band_is_always_in_the_table():
    ds = overturning_spectrum(one_sine(1.0, 6.0), np.radians(14), [0.5], largest_amplitude=15.0)
    words = overturning_table(ds)[1][0][2]
    assert words.startswith("1.049-1.050 (9), 1.052-1.056 (7), 3 more, above 1.117 (0)")
    four = ds.isel(band=[0, 1, 4, 5])
    assert overturning_table(four)[1][0][2].count("(") == 4  # one of four is not hidden


def test_ends_of_thin_bands_are_told_apart():
    ds = overturning_spectrum(one_sine(1.0, 6.0), 0.2, [2.0], scan=5)
    thin = ds.assign(
        lower=(ds["lower"].dims, np.array([[[[1.1460212, 5.0]]]])),
        upper=(ds["upper"].dims, np.array([[[[1.1460298, np.inf]]]])),
        impacts=(ds["impacts"].dims, np.array([[[[2, 0]]]])),
    )
    assert overturning_table(thin)[1][0][2] == "1.14602-1.14603 (2), above 5.000 (0)"


def test_tables_of_several_motions_give_the_median():
    rng = np.random.default_rng(2)
    motions = [Motion(3 * rng.normal(size=(3, 100)), 0.02, f"noise {i}") for i in range(3)]
    ds = rocking_spectrum(motions, 0.15, [0.3, 20.0])
    heads, rows = rocking_table(ds)
    assert heads == ["2 pi/p [s]", "slenderness 8.59 deg"]
    fallen = (ds["outcome"].values == 3).sum((0, 1))
    assert [f"({number} of 3 overturn)" in row[1] for number, row in zip(fallen, rows, strict=True)] == [
        True
    ] * 2
    bands = overturning_spectrum(motions, 0.15, periods=[0.3, 20.0], scan=30, tolerance=1e-2)
    heads, rows = overturning_table(bands)
    assert heads[2:] == ["lowest of the motions", "median"]
    assert rows[0][2] == f"{float(bands['lower'][:, 0, 0, 0].min()):.3g}"
    assert rows[1][2:] == ["none", "none"]


def test_bands_meet_half_way_between_sizes_without_steps():
    """From both sides the outcomes half way are the same, and at the sizes themselves nothing moves."""
    rng = np.random.default_rng(2)
    columns = []
    for _ in range(200):
        ends = np.sort(rng.uniform(1.0, 20.0, rng.integers(1, 8)))
        modes = [-1, *rng.integers(-1, 3, len(ends))]
        columns.append(list(zip([0.0, *ends], [*ends, 20.0], map(int, modes), strict=True)))

    def profile(pieces, half):
        found = []
        for low, high, (_, _, mode) in zip([0.0, *half], half, pieces, strict=False):
            if found and found[-1][0] == mode:
                found[-1][1] = high
            elif high > low + 1e-9:
                found.append([mode, high])
        return found

    for one, other in pairwise(columns):
        ours, theirs = (profile(*each) for each in ((one, limits(one, other)), (other, limits(other, one))))
        assert [mode for mode, _ in ours] == [mode for mode, _ in theirs]
        np.testing.assert_allclose([end for _, end in ours], [end for _, end in theirs])
    whole = [(0.0, 2.0, -1), (2.0, 3.0, 1), (3.0, 5.0, -1), (5.0, 20.0, 0)]
    assert limits(whole, [(0.0, 6.0, -1), (6.0, 20.0, 0)]).tolist() == [2.5, 2.5, 5.5, 20.0]  # a band ends
