"""Friction and restitution of realizations: drawn once each, by streams of their own."""

import numpy as np
import pytest

from mcrock.base.params import ContactColumn
from mcrock.base.random_numbers import uniforms
from mcrock.dataset import SCHEMA
from mcrock.study.design import stream
from mcrock.study.sampling import draw_inputs

FRICTION = "contact.friction={distribution='uniform', low=0.3, high=0.5}"
NAMES = [f"contact_{column.name.lower()}" for column in ContactColumn]
DESIGNS = ("sobol", "sobol_by_record", "random", "latin_hypercube")


def test_contacts_stick_without_friction(make_study, motions):
    for overrides in ([], ["contact={}"]):
        inputs = draw_inputs(make_study(*overrides), motions, 0, 5)
        assert inputs.contact is None
        assert not set(NAMES) & set(inputs.values)


def test_numbers_stand_in_their_columns(make_study, motions):
    given = {"friction": 0.4, "static_friction": 0.5, "restitution": 0.1, "impact_restitution": 0.2,
             "tangential_restitution": -0.3}  # fmt: skip
    study = make_study(*(f"contact.{key}={value}" for key, value in given.items()))
    inputs = draw_inputs(study, motions, 0, 5)
    np.testing.assert_array_equal(inputs.contact, [list(given.values())] * 5)
    assert inputs.contact.flags.c_contiguous
    for name, value in zip(NAMES, given.values(), strict=True):
        np.testing.assert_array_equal(inputs.values[name], np.full(5, value))
        assert SCHEMA[name].dims == ("realization",)
    alone = draw_inputs(make_study("contact.friction=0.4"), motions, 0, 5)
    np.testing.assert_array_equal(alone.contact, [[0.4, 0.4, 0.0, 0.0, 0.0]] * 5)


def test_friction_has_a_stream_of_its_own(make_study, motions):
    random = "ensemble.design=random"
    sticking = draw_inputs(make_study(random), motions, 3, 40)
    overrides = FRICTION, "contact.restitution={distribution='uniform', low=0, high=0.1}"
    slipping = draw_inputs(make_study(random, *overrides), motions, 3, 40)
    for name, values in sticking.values.items():
        if name != "facet_fallback":
            np.testing.assert_array_equal(slipping.values[name], values)
    np.testing.assert_array_equal(slipping.scale, sticking.scale)
    u = uniforms(11, stream("contact.friction"), 3, 37)
    np.testing.assert_allclose(slipping.contact[:, 0], 0.3 + 0.2 * u, rtol=1e-14)
    u = uniforms(11, stream("contact.restitution"), 3, 37)
    np.testing.assert_allclose(slipping.contact[:, 2], 0.1 * u, rtol=1e-14)


@pytest.mark.parametrize("design", DESIGNS)
def test_both_frictions_have_one_quantile(make_study, motions, design):
    table = "{{distribution='lognormal', median={}, dispersion=0.25}}"
    study = make_study(
        f"contact.friction={table.format(0.4)}",
        f"contact.static_friction={table.format(0.5)}",
        f"ensemble.design={design}",
    )
    contact = draw_inputs(study, motions, 0, 200).contact
    np.testing.assert_allclose(contact[:, 1] / contact[:, 0], 1.25, rtol=1e-12)
    assert np.log(contact[:, 0]).std() == pytest.approx(0.25, rel=0.3)


def test_static_friction_is_drawn_alone_beside_a_number(make_study, motions):
    study = make_study(
        "contact.friction=0.3", FRICTION.replace("friction", "static_friction"), "ensemble.design=random"
    )
    contact = draw_inputs(study, motions, 0, 30).contact
    np.testing.assert_array_equal(contact[:, 0], np.full(30, 0.3))
    u = uniforms(11, stream("contact.static_friction"), 0, 30)
    np.testing.assert_allclose(contact[:, 1], 0.3 + 0.2 * u, rtol=1e-14)


@pytest.mark.parametrize("cloud", [False, True])
def test_peak_accelerations_are_those_of_the_scaled_motions(make_study, motions, cloud):
    distribution = "intensity.value_g={distribution='uniform', low=0.1, high=0.9}"
    inputs = draw_inputs(make_study("contact.friction=0.4", *[distribution] * cloud), motions, 0, 9)
    peak = inputs.values["peak_acceleration"]
    assert peak.shape == ((9,) if cloud else (9, 2))
    for i, scale in enumerate(inputs.scale):
        x, y, _ = motions[inputs.record[i]].acceleration
        expected = [np.hypot(factor * x, factor * y).max() for factor in scale]
        np.testing.assert_allclose(np.atleast_1d(peak[i]), expected)
    assert "peak_acceleration" not in draw_inputs(make_study(), motions, 0, 9).values


def test_peak_accelerations_are_those_under_the_body(make_study, motions):
    study = make_study(
        "contact.friction=0.4", "motion.floor.frequency={distribution='uniform', low=2, high=3}"
    )
    inputs = draw_inputs(study, motions, 0, 5)
    for i, own in enumerate(inputs.motions):
        largest = np.sqrt(np.square(own.acceleration[:2]).sum(axis=0).max())
        np.testing.assert_allclose(inputs.values["peak_acceleration"][i], largest * np.abs(inputs.scale[i]))
    unmade = draw_inputs(study, motions, 0, 5, with_motions=False)
    assert np.isnan(unmade.values["peak_acceleration"]).all()
