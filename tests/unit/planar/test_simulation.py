"""The Python face of the planar kernel: starts, codes, history, refused input, one compiled signature."""

from dataclasses import replace

import numpy as np
import pytest

from mcrock.base.params import Outcome
from mcrock.body import cuboid
from mcrock.excitation import Motion, Pulse, one_sine, pack_motions
from mcrock.impact.conditions import Controls
from mcrock.planar import integrate as kernel
from mcrock.planar import planar_block, rectangle, rectangle_of, simulate_planar
from mcrock.planar.simulation import block_rows, run_many

BLOCK = rectangle(0.4, 1.6)
PULSE = one_sine(4.0, 6.0)


def test_history_and_events_only_on_request():
    run = simulate_planar(BLOCK, tilt=0.1)
    assert run.events == []
    assert run.history.sizes["time"] == 0
    full = simulate_planar(BLOCK, tilt=0.1, history=True)
    assert (run.outcome, run.impacts, run.peak_tilt) == (full.outcome, full.impacts, full.peak_tilt)
    assert full.impacts == sum(event["kind"] == "facet_impact" for event in full.events)
    assert all(full.history[name].attrs["units"] for name in ("rotation", "rate", "energy", "time"))


def test_history_has_room_for_long_runs():
    run = simulate_planar(BLOCK, r=1.0, tilt=0.2, t_end=60.0, controls=Controls(max_step=1e-3), history=True)
    assert run.history.sizes["time"] > 4096
    assert float(run.history["time"][-1]) == run.end_time == 60.0
    assert (np.diff(run.history["time"]) >= 0).all()


@pytest.mark.parametrize(
    ("tilt", "rate", "edge"), [(0.1, 0.0, 0), (-0.1, 0.0, 1), (0.0, 0.2, 0), (0.0, -0.2, 1)]
)
def test_starts_over_either_edge(tilt, rate, edge):
    run = simulate_planar(BLOCK, tilt=tilt, rate=rate, history=True)
    first = run.history.isel(time=0)
    assert (float(first["rotation"]), float(first["rate"]), int(first["edge"])) == (tilt, rate, edge)
    assert (run.peak_right if edge == 0 else run.peak_left) == run.peak_tilt


def test_peaks_belong_to_their_edges():
    block = rectangle(0.6, 2.0, offset=0.1)
    run = simulate_planar(block, one_sine(3.0, 6.0), controls=Controls(max_step=1e-3), history=True)
    rotation = run.history["rotation"]
    assert run.peak_right == pytest.approx(float(rotation.max()), abs=1e-5)
    assert run.peak_left == pytest.approx(-float(rotation.min()), abs=1e-5)
    assert run.peak_tilt_ratio == run.peak_tilt / block.slenderness


def test_numerical_limits_have_codes_of_their_own():
    for controls, outcome in (
        (Controls(max_steps=10), Outcome.STEP_LIMIT),
        (Controls(max_impacts=2), Outcome.IMPACT_LIMIT),
    ):
        assert simulate_planar(BLOCK, tilt=0.1, controls=controls).outcome == outcome


def test_a_run_that_is_cut_short():
    assert simulate_planar(BLOCK, PULSE, t_end=0.5).outcome == Outcome.ROCKING  # still shaken
    assert simulate_planar(BLOCK, tilt=0.1, t_end=0.5).outcome == Outcome.SETTLING
    assert simulate_planar(BLOCK, tilt=0.5, t_end=0.01).outcome == Outcome.ROCKING  # beyond the balance
    assert simulate_planar(BLOCK, None).outcome == Outcome.AT_REST


def test_loss_of_contact_is_reported():
    still = np.zeros(100)
    drop = Motion(np.stack([still, still, np.full(100, -12.0)]), dt=0.01, name="drop")
    run = simulate_planar(BLOCK, drop)
    assert run.contact_lost
    assert run.outcome == Outcome.LIFTED_OFF
    assert run.lowest_normal_force <= 1 - 12.0 / 9.81
    assert not simulate_planar(BLOCK, PULSE).contact_lost


def test_at_rest_the_lowest_normal_force_of_a_record_is_found():
    a = np.zeros((3, 500))
    a[2, 340] = -4.0
    run = simulate_planar(BLOCK, Motion(a, dt=0.01, name="jerk"))
    assert run.uplifts == 0
    assert run.lowest_normal_force == pytest.approx(1 - 4.0 / 9.81, rel=1e-12)


@pytest.mark.parametrize(("phase", "lowest"), [(0.0, 0.5), (0.5, 0.5), (np.pi, 0.5 * np.sin(1.0))])
def test_at_rest_the_lowest_normal_force_of_a_pulse_is_found(phase, lowest):
    """A vertical sine that ends before its trough in the last case."""
    cycles = 1.0 if phase != np.pi else 1.0 / (2 * np.pi)
    run = simulate_planar(BLOCK, Pulse((0.0, 0.0, 0.5 * 9.81), 6.0, phase=phase, cycles=cycles))
    assert run.uplifts == 0
    assert run.lowest_normal_force == pytest.approx(1 - lowest, rel=1e-12)


@pytest.mark.parametrize("sample", [1, 2, 3, 250, 398, 399])
def test_a_single_strong_sample_lifts_where_it_stands(sample):
    a = np.zeros((3, 400))
    a[0, sample] = -6.0
    run = simulate_planar(BLOCK, Motion(a, dt=0.01, name="jerk"), history=True)
    lifted = 0.01 * (sample - 1) + 0.01 * (9.81 * 0.25) / 6.0
    assert run.events[0]["t"] == pytest.approx(lifted, abs=1e-12)
    assert run.events[0]["edge"] == "right"


def test_a_run_is_the_same_in_a_batch_of_any_size():
    block = rectangle_of(0.2, 2.5)
    rows = block_rows([block, BLOCK], [(0.9, 0.9), (0.95, 0.95)])
    rng = np.random.default_rng(1)
    record = Motion(3.0 * rng.normal(size=(3, 300)), dt=0.02, name="noise")
    motions = pack_motions([record, PULSE])
    n = 1200  # above the size from which threads are used
    which, motion = np.arange(n) % 2, (np.arange(n) // 2) % 2
    scale = np.linspace(0.5, 2.0, n)
    out = [run_many(rows, motions, which, motion, scale, Controls(), workers) for workers in (1, 3)]
    np.testing.assert_array_equal(out[0], out[1])
    few = run_many(rows, motions, which[5:9], motion[5:9], scale[5:9], Controls())
    np.testing.assert_array_equal(few, out[0][5:9])


def test_the_kernel_compiles_once():
    record = Motion(np.zeros((3, 5)), dt=1, name="still")
    for options in (
        {"tilt": 0},
        {"tilt": 0.1, "r": 1},
        {"rate": np.float32(0.1)},
        {"t_end": 2, "history": True},
    ):
        simulate_planar(BLOCK, record, **options)
        simulate_planar(BLOCK, PULSE, **options)
    assert len(kernel.run.signatures) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tilt": 1.6}, r"tilt at the start must be between -pi/2 and pi/2 rad, got 1\.6"),
        ({"rate": float("inf")}, r"rate at the start must be finite \[rad/s\], got inf"),
        ({"r": 1.1}, r"velocity ratio r .* got 1\.1"),
        ({"r": "no"}, r"restitution must be a number r, .* got 'no'"),
        ({"r": [0.9, 0.8, 0.7]}, r"one velocity ratio, or two .*, got an array of shape \(3,\)"),
        ({"r": np.full((2, 2), 0.9)}, r"one velocity ratio, or two .*, got an array of shape \(2, 2\)"),
        ({"r": None}, "velocity ratio r .* got nan"),
        ({"t_end": float("nan")}, r"t_end must be finite and >= 0 s, got nan"),
        ({"t_end": float("inf")}, r"t_end must be finite and >= 0 s, got inf"),
        ({"t_end": -1.0}, r"t_end must be finite and >= 0 s, got -1\.0"),
    ],
)
def test_impossible_runs_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        simulate_planar(BLOCK, **options)


def test_what_is_no_planar_block_is_refused():
    body = cuboid(0.4, 0.6, 1.6, 2600)
    with pytest.raises(ValueError, match=r"a PlanarBlock, got a Body; planar_block\(body, axis='x'\) or"):
        simulate_planar(body, PULSE)
    assert simulate_planar(planar_block(body), PULSE).impacts == simulate_planar(BLOCK, PULSE).impacts
    with pytest.raises(ValueError, match=r"needs a PlanarBlock, got 0\.2"):
        simulate_planar(0.2, PULSE)


def test_two_ratios_in_an_array_are_those_of_the_edges():
    runs = [simulate_planar(BLOCK, PULSE, r) for r in ((0.9, 0.8), np.array([0.9, 0.8]))]
    assert runs[0].energy_loss == runs[1].energy_loss


def test_half_the_step_changes_little():
    halved = replace(Controls(), step=0.01, max_step=0.005)
    run, finer = (simulate_planar(BLOCK, PULSE, controls=controls) for controls in (None, halved))
    assert run.steps < finer.steps
    assert run.overturning_time == pytest.approx(finer.overturning_time, abs=1e-6)
