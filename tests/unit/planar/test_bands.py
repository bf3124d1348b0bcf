"""Scans over the amplitude on made-up outcomes: nested, nothing run twice, thin bands below the lowest."""

from itertools import pairwise

import numpy as np
import pytest

from mcrock.planar.spectra import (
    AmplitudeInterval,
    TriedAmplitudes,
    collect_bands,
    find_limits,
    scan_amplitudes,
    scan_level,
)

BEGIN, END = np.array([1.0, 0.9]), 16.0


class Outcomes:
    """Blocks that overturn in given bands of amplitude, and tilt far between others."""

    def __init__(self, bands, far=()):
        self.bands, self.far, self.made = bands, far, []

    def __call__(self, case, amplitude):
        self.made += zip(case.tolist(), amplitude.tolist(), strict=True)
        fell, peak = (self.within(amplitude, bands) for bands in (self.bands, self.far))
        state = fell.astype(int)
        return TriedAmplitudes(
            case,
            amplitude,
            state,
            0 * state,
            np.full(len(case), -1.0),
            np.where(fell, 5.0, np.where(peak, 0.9, 0.1)),
        )

    @staticmethod
    def within(amplitude, bands):
        return np.any([(low <= amplitude) & (amplitude < high) for low, high in [*bands, (0, 0)]], axis=0)


def bands_of(outcomes, level):
    points, half = scan_amplitudes(outcomes, BEGIN, END, level)
    limits = find_limits(outcomes, points, 1e-9)
    return collect_bands(limits, 2, (2,)), half


WIDE = [(3.0, 4.0), (6.0, np.inf)]


def test_bands_wider_than_the_scan_are_found():
    (lower, upper, impacts), half = bands_of(Outcomes(WIDE), 6)
    for case in range(2):
        np.testing.assert_allclose(lower[case], [3.0, 6.0], rtol=1e-9)
        np.testing.assert_allclose(upper[case], [4.0, np.inf], rtol=1e-9)
    assert impacts.tolist() == [[0, 0], [0, 0]]
    assert half.tolist() == [3, 3]


def test_a_finer_scan_contains_the_coarser_ones():
    made = []
    for level in range(1, 8):
        outcomes = Outcomes(WIDE, far=[(2.0, 3.0)])
        scan_amplitudes(outcomes, BEGIN, END, level)
        assert len(outcomes.made) == len(set(outcomes.made))  # nothing is run twice
        made.append(set(outcomes.made))
    for coarse, fine in pairwise(made):
        assert coarse < fine


def test_thin_bands_are_found_below_the_lowest_where_the_tilt_is_large():
    """Bands an eighth as wide as the step of the scan, 4.4 %, below and above the lowest wide one."""
    thin = [(2.50, 2.52), (5.0, 5.005)]
    (lower, _, _), _ = bands_of(Outcomes([*thin, *WIDE], far=[(2.0, 3.0)]), 6)
    for case in range(2):
        np.testing.assert_allclose(lower[case][:2], [2.5, 3.0], rtol=1e-9)
    assert not np.isin(5.0, lower.round(6))
    (lower, _, _), _ = bands_of(Outcomes([*thin, *WIDE]), 6)  # no tilt tells of them
    assert not np.isin(2.5, lower.round(6))


def test_half_counts_what_the_scan_before_meets():
    """An island that the seventh level meets and the sixth does not."""
    points = AmplitudeInterval(Outcomes([]), BEGIN, END)
    points.add_level(7)
    place = points.points.amplitude[points.points.case == 0][65]  # odd: between points of level 6
    outcomes = Outcomes([(2.0, place * 0.999), (place * 1.001, np.inf)])
    counts = []
    for level in (6, 7, 8):
        (lower, _, _), half = bands_of(outcomes, level)
        counts.append((np.isfinite(lower[0]).sum(), half[0]))
    assert counts == [(1, 1), (2, 1), (2, 3)]


@pytest.mark.parametrize(("scan", "level"), [(3, 1), (4, 2), (5, 2), (6, 3), (1025, 10), (1026, 11)])
def test_scans_are_rounded_up(scan, level):
    assert scan_level(scan) == level
