"""The history of a run, and its events as text."""

import csv

import numpy as np
import pytest

import mcrock as mr
from mcrock.base.params import HistoryColumn
from mcrock.dataset.history import build_history, events_to_csv


def test_a_run_that_ends_undecided_has_the_contact_of_the_row_before():
    rows = np.zeros((5, len(HistoryColumn)))
    rows[:, HistoryColumn.TIME], rows[:, HistoryColumn.Q0] = np.arange(5), 1.0
    rows[:, HistoryColumn.MODE], rows[:, HistoryColumn.INDEX] = [0, 1, 2, 1, -1], [0, 3, 5, 4, 7]
    history = build_history(rows, np.zeros(3), np.zeros(3))
    assert history["mode"].values.tolist() == [0, 1, 2, 1, 1]
    assert history["index"].values.tolist() == [0, 3, 5, 4, 4]


def test_events_as_text_are_read_again_to_the_last_bit():
    """A facet impact alone has a face."""
    numbers = np.random.default_rng(1).normal(size=(2, 9))
    kinds = [("uplift", ("EDGE", 2), None), ("facet_impact", ("REST", 0), 4)]
    names = ["t [s]", *(f"omega_{x} [rad/s]" for x in "xyz"), "energy_change [J]", "tilt [rad]"]
    names += [f"velocity_{x} [m/s]" for x in "xyz"]
    events = [
        {"kind": kind, "to": to, "face": face, "omega": row[1:4], "velocity": row[6:]}
        | dict(zip(("t", "energy_change", "tilt"), row[[0, 4, 5]], strict=True))
        for (kind, to, face), row in zip(kinds, numbers, strict=True)
    ]
    read = list(csv.DictReader(events_to_csv(events).splitlines()))
    np.testing.assert_array_equal([[float(row[name]) for name in names] for row in read], numbers)
    words = [(row["kind"], (row["mode"], int(row["index"])), row["face"]) for row in read]
    assert words == [("uplift", ("EDGE", 2), ""), ("facet_impact", ("REST", 0), "4")]


@pytest.mark.parametrize(
    "contact", [None, mr.Contact(friction=0.4, restitution=0.3)], ids=["rough", "contact"]
)
def test_a_history_has_the_state_before_and_after_each_impact(contact):
    """The same pose twice at the time of an impact, between which the energy changes as the event says."""
    body, start = mr.cuboid(0.1, 0.14, 0.4, 2700), mr.Start(edge=0, tilt=0.2)
    run = mr.simulate(body, None, mr.Impact(lambda_lat=-0.6), start=start, contact=contact, t_end=0.6)
    history, impacts = run.history, [event for event in run.events if event["kind"].endswith("_impact")]
    assert len(impacts) > 3
    for event in impacts[:8]:
        at = np.flatnonzero(history.time.values == event["t"])
        before, after = history.isel(time=at[0]), history.isel(time=at[1])
        assert before["orientation"].values == pytest.approx(after["orientation"].values, abs=1e-12)
        assert float(after["energy"] - before["energy"]) == pytest.approx(event["energy_change"], abs=1e-12)
        assert np.array_equal(after["angular_velocity"], event["omega"])
        assert np.abs(after["angular_velocity"] - before["angular_velocity"]).max() > 1e-3
