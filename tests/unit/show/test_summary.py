"""The printed summary: what it says of doubt, of one record, of no transition and of a strained model."""

import numpy as np
import pytest

from mcrock.base.estimates import format_ratio, format_with_interval
from mcrock.base.params import Outcome
from mcrock.show.summary import format_summary, summarize, summary_as_json
from mcrock.statistics import (
    by_limit,
    compare_measures,
    fit_fragility,
    fragility_by_choice,
    outcome_shares,
    with_displacement_limit,
)
from tests.unit.statistics.conftest import simulate_study
from tests.unit.statistics.measured import measured_study
from tests.unit.statistics.results import with_outputs
from tests.unit.statistics.test_choices import two_laws
from tests.unit.statistics.test_probability import sliding_study


def summary(ds, needed=0.4, lost=0.0, gained=0.0, cluster=True):
    shape = ds["outcome"].shape
    draw = np.random.default_rng(0).random(shape)
    outputs = {
        "contact_lost": draw < lost,
        "energy_gain_impacts": draw < gained,
        "edge_stick_infeasible": draw < 0.5,
        "certified_friction": np.broadcast_to(needed, shape),
        "lowest_normal_force": np.ones(shape),
        "half_step_outcome": np.full(shape, Outcome.NOT_RUN),
    }
    ds = ds.assign({name: (ds["outcome"].dims, value) for name, value in outputs.items()})
    return format_summary(summarize(ds, cluster=cluster))


def plain(**options):
    return lambda: simulate_study(**options)


def needing(*friction):
    """A study of which 1 and 10 of 4400 runs need more friction than the others."""
    ds = simulate_study()
    needed = np.full(ds["outcome"].shape, 0.25)
    needed[0, 0], needed[1, :] = friction
    return np.float32(needed)


def stuck_until():
    ds = sliding_study()
    until = np.where(needing(np.inf, 0.7) == np.float32(0.7), 3.0, np.inf)
    return ds.assign(certified_until=(ds["outcome"].dims, until))


def doubtful(rocking, guessed=0, **options):
    """A study in which nothing overturns, of runs that still rock and runs that rest on a guess."""
    ds = simulate_study(median=1000.0, **options)
    ds["outcome"][:rocking, 0] = Outcome.ROCKING
    ds["infeasible_energy_loss"][1 : 1 + guessed, 0] = 2.0
    return ds


def undetermined():
    ds = sliding_study()
    ds["outcome"][:4, 0] = [*3 * [Outcome.PAINLEVE], Outcome.STEP_LIMIT]
    return ds


def sliding_of_half(more=0.0):
    """Half of the realizations have too little friction to rock."""
    ds = simulate_study()
    n = ds.sizes["realization"]
    friction = ("realization", np.linspace(0.15, 0.35, n) + more)
    slenderness = ("realization", np.full(n, np.arctan(0.25)))
    return ds.assign(body_slenderness=slenderness, contact_static_friction=friction)


@pytest.mark.parametrize(
    ("make", "how", "said", "unsaid"),
    [
        (
            plain(),
            {},
            ["22 independent recordings; the intervals count recordings", "0 % at 0.3, all at 0.5, all at 1"],
            ["undecided:", "contact was lost", "gain energy", "Fractions of the runs", "Rules of thumb"],
        ),
        (
            plain(),
            {"lost": 0.3, "gained": 0.1},
            [
                "contact was lost before 45 degrees of tilt in 30 %",
                "gain energy occurred in 10 %",
                "[contact]",
            ],
            [],
        ),
        (plain(), {"needed": needing(np.inf, 0.7)}, ["99.8 % at 0.3, 99.8 % at 0.5, 99.9 % at 1; what"], []),
        (stuck_until, {}, ["\nruns in which friction certainly holds, as if contacts stuck: 99.8 %"], []),
        (plain(median=1000.0), {}, ["nothing overturned; the median lies above 0.612 g (95 % interval)"], []),
        (plain(median=0.001), {}, ["everything overturned; the median lies below 0.051 g (95 %"], []),
        (lambda: doubtful(1), {}, ["nothing overturned without doubt", "1 of 4400 runs is undecided"], []),
        (
            lambda: doubtful(2),
            {},
            ["2 of 4400 runs are undecided", "2 still rocked at the end: raise controls.tail"],
            [],
        ),
        (
            lambda: doubtful(2, 3),
            {},
            [
                "4 of 4400 runs are undecided",
                "(0 overturned)",
                'facet_fallback = "plastic"',
                "these, 1 still rocked",
            ],
            [],
        ),
        (
            lambda: doubtful(0, records=1, per_record=1),
            {},
            ["1 independent recording;", "too wide to bound the median"],
            [],
        ),
        (plain(), {"cluster": False}, ["they hold for the given ground motions alone"], ["count recordings"]),
        (
            plain(levels=[1.1, 1.7, 2.3]),
            {},
            ["the median lies beyond 0.235 g, the strongest intensity of a run: an extrapolation"],
            [],
        ),
        (plain(levels=[3.0, 4.0, 5.0]), {}, [], ["extrapolation"]),
        (
            lambda: by_limit(simulate_study(), "peak_tilt_ratio", 0.5),
            {},
            ["the weakest intensity at which a run was beyond the limit, the curve is"],
            [],
        ),
        (
            plain(levels=(1.0, 6.0), between=1e-6, within=1e-6),
            {},
            [
                "no curve (separated: fewer than two levels",
                "lies between 0.102 g and 0.612 g (95 % interval)",
            ],
            [],
        ),
        (
            undetermined,
            {},
            ["1 took controls.max_steps steps: raise it", "3 came where friction leaves the contact force"],
            [],
        ),
        (
            lambda: with_displacement_limit(sliding_study(median=1000.0), 0.5),
            {},
            ["Overturning or peak displacement beyond 0.5 m: Fragility: nothing was beyond the limit; "],
            [],
        ),
        (sliding_of_half, {}, ["50 % of the realizations have too little friction to rock from rest"], []),
        (lambda: by_limit(sliding_of_half(), "peak_tilt_ratio", 0.5), {}, [], ["too little friction"]),
        (lambda: sliding_of_half(0.11), {}, [], ["too little friction"]),
    ],
)
def test_what_limits_a_result_is_said_and_nothing_else(make, how, said, unsaid):
    text = summary(make(), **how)
    assert [words for words in said if words not in text] == []
    assert [words for words in [*unsaid, " nan", " inf "] if words in text] == []


def test_a_curve_without_support_is_said(make_study):
    ds = make_study()
    fit, lines = fit_fragility(ds), summary(ds).splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("Lognormal fragility"))
    assert lines[at + 1] == (
        f"below {float(fit['weakest_overturning']) / 9.80665:.3g} g, the weakest intensity at which a run "
        f"overturned, the curve is an extrapolation: it expects {float(fit['expected_below']):.2g} among the "
        f"{int(fit['runs_below'])} runs there, and there were none; more recordings tell what is true"
    )
    assert "extrapolation" not in lines[at + 2]


def test_laws_are_a_table_of_their_own():
    ds = two_laws(undecided=0.002, per_record=10)  # with 0.05 the lognormal curve is rejected
    text, fits = summary(ds), fragility_by_choice(ds).sel(impact_law="housner_1963")
    line = next(line for line in text.splitlines() if line.strip().startswith("housner_1963"))
    (low, high), (least, most) = (
        fits["ratio_interval"].values,
        fits["median_capacity_interval"].values / 9.80665,
    )
    counts = ["2200", str(int(fits["undecided"])), f"{float(fits['median_capacity']) / 9.80665:.3g}"]
    assert line.split()[1:4] == counts
    assert f"{least:.3g} g to {most:.3g} g" in line
    dispersion = float(fits["dispersion"]), *fits["dispersion_interval"].values.tolist()
    assert format_with_interval(*dispersion) in line
    assert line.endswith(format_ratio(float(fits["ratio"]), low, high))
    assert "compares medians under the same ground motions" in text


def test_a_law_without_a_median_is_no_number():
    text = summary(two_laws(stronger=100.0))
    line = next(line for line in text.splitlines() if line.strip().startswith("housner_1963"))
    assert line.split()[1:4] == ["4400", "0", "-"]
    assert line.split()[-2:] == ["-", "-"]


def test_measures_are_a_table_with_the_best_first(make_study):
    ds = make_study(cloud=True)
    ds["im_pgv"] = ds["intensity_value"] * np.random.default_rng(0).lognormal(0.0, 1.0, 440)
    ds["im_pgv"].attrs = {"units": "m s-1", "long_name": "peak ground velocity"}
    lines, found = summary(ds).splitlines(), compare_measures(ds).sel(measure="pgv")
    at = next(i for i, line in enumerate(lines) if line.split()[:1] == ["measure"])
    assert [line.split()[0] for line in lines[at : at + 3]] == ["measure", "intensity", "pgv"]
    (low, high), (least, most) = found["explained_interval"].values, found["median_capacity_interval"].values
    line = lines[at + 2]
    assert f"{least:.3g} m/s to {most:.3g} m/s" in line
    assert f"{float(found['explained']):.3f}  {low:.3f} to {high:.3f}" in line
    assert lines[at + 3].startswith("explained: fraction of the deviance")
    ds["outcome"][:] = Outcome.AT_REST
    line = next(line for line in summary(ds).splitlines() if line.split()[:1] == ["pgv"])
    assert line.split()[-5:] == ["-"] * 5


def test_runs_with_friction_have_a_table_of_their_endings():
    ds = with_displacement_limit(sliding_study(undecided=0.05), 0.03)
    lines, found = summary(ds).splitlines(), outcome_shares(ds)
    at = lines.index("Fractions of the runs in % (95 % interval)")
    occurring = found["ending"].values[(found["share"] > 0).any("intensity")]
    assert lines[at + 1].split("  ")[-1] == occurring[-1] == "still rocking"
    assert all(ending in lines[at + 1] for ending in occurring)
    assert "limit met" not in lines[at + 1]
    share, (low, high) = found["share"].values[:, 3], found["interval"].values[:, :, 3]
    cells = [
        f"{100 * share[i]:.0f} ({100 * low[i]:.0f} to {100 * high[i]:.0f})"
        for i, ending in enumerate(found["ending"].values)
        if ending in occurring
    ]
    assert " ".join(lines[at + 5].split()) == f"0.235 g {' '.join(cells)}"
    median = float(fit_fragility(by_limit(ds, "peak_displacement", 0.03))["median_capacity"]) / 9.80665
    line = next(line for line in lines if line.startswith("Overturning or peak displacement beyond 0.03 m: "))
    assert f"Lognormal fragility (maximum likelihood): median {median:.3g} g (" in line


def measured(folder=".", **options):
    ds, _, _ = measured_study(overturned=lambda inputs: np.abs(inputs.scale) > 2.5, **options)
    return summarize(with_outputs(ds), folder=folder)


def test_rules_of_thumb_stand_beside_the_result():
    found = measured()
    lines = format_summary(found).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Rules of thumb and code checks"))
    assert lines[start + 1].split()[:2] == ["rule", "capacity"]
    rules = [" ".join(line.split()) for line in lines[start + 2 : start + 12]]
    assert rules[0].startswith("constant probability")
    assert rules[5].startswith("static: PGA over g tan(alpha) 0.25 g 0.")
    assert rules[7].startswith("ASCE 43-05 A.2: Sa(2.11 s, 2.9 %) 0.251 g")
    assert rules[8].startswith("FEMA P-58: PGV 0.443 m/s")
    why = lines[start + 12 : lines.index("", start)]
    assert all(line.startswith("over p") and line.endswith("by the empirical fractions") for line in why)
    assert summary_as_json(found)["baselines"]["variables"]["rule"]["values"][0] == "constant"


def test_vertical_motion_alone_has_no_rules_of_thumb(tmp_path):
    for name in ("v.csv", "w.csv"):
        (tmp_path / name).write_text("x,y,z\n0,0,0\n0,0,4\n0,0,0\n")
    (tmp_path / "study.toml").write_text(
        "seed = 1\nensemble.realizations = 44\n"
        'body = { shape = "cuboid", width = 0.3, depth = 0.3, height = 1.5, density = 2500 }\n'
        'motion = { source = "csv", files = ["v.csv", "w.csv"], unit = "m/s2", dt = 0.1 }\n'
        'intensity = { measure = "factor", levels = [2.0, 5.0] }\n'
    )
    rules = measured(tmp_path, config=tmp_path / "study.toml")["baselines"]
    assert rules == "no rules of thumb: motion 'v' has no horizontal acceleration, so it has no pga"


def test_no_rules_of_thumb_without_a_transition():
    assert summarize(with_outputs(measured_study()[0]))["baselines"] is None


def test_records_that_are_gone_are_told(make_study):
    config = (
        '{"seed": 1, "body": {"shape": "cuboid", "width": 0.4, "depth": 0.4, "height": 1.6, "density": 1.0}, '
        '"motion": {"source": "files", "paths": ["gone.AT2"]}, '
        '"intensity": {"measure": "pga", "levels": [1.0]}, "ensemble": {"realizations": 22}}'
    )
    text = summary(make_study().assign_attrs(config=config))
    line = next(line for line in text.splitlines() if line.startswith("no rules of thumb: "))
    assert "gone.AT2" in line
    assert line.endswith("; give the folder of the study file (--folder)")
