"""The section [contact]: rules of `Contact`, what goes with friction, and mistakes that involve several keys."""

# ruff: noqa: E501 -- a message stands on one line, as users see it

import json
from dataclasses import fields
from math import inf

import numpy as np
import pytest

from mcrock.base.params import ContactColumn
from mcrock.body import cuboid
from mcrock.impact.conditions import Contact, Impact, Start, check_contact
from mcrock.simulation.runs import simulate
from mcrock.study import Study, load_config
from mcrock.study.sections import ContactTable
from tests.unit.study.conftest import mistakes

ALONE = "needs the key 'friction' [1] too: without it contacts stick and nothing rebounds"
UNBOUNDED = "no friction coefficient bounds an angular impulse about the vertical"


def uniform(low, high):
    return f'{{ distribution = "uniform", low = {low}, high = {high} }}'


@pytest.fixture
def with_contact(study_file):
    """Study file with keys of [contact], and of [impact]."""

    def write(contact, impact=""):
        return study_file("[motion]", f"[impact]\n{impact}\n[contact]\n{contact}\n[motion]")

    return write


def test_keys_are_those_of_python_in_the_order_of_the_columns():
    names = tuple(field.name for field in fields(Contact))
    assert ContactTable.key_names() == names == tuple(column.name.lower() for column in ContactColumn)
    for field in fields(Contact):
        rule, kind = field.metadata["rule"], ContactTable.kind(field.name)
        assert {name: getattr(kind, name) for name in vars(rule)} == vars(rule)
        assert ContactTable.model_fields[field.name].default == field.default


def test_without_friction_a_study_is_the_one_without_the_section(with_contact, study_file):
    plain = load_config(study_file())
    for text in ("", "restitution = 0"):
        study = load_config(with_contact(text))
        assert study.quantities == plain.quantities
        assert study.uncertain == plain.uncertain
        assert study.impact.facet_fallback == "rest"
    assert "contact" not in json.loads(plain.to_json())


def test_a_stored_study_with_friction_is_the_same(with_contact):
    study = load_config(with_contact(f"friction = 0.4\nrestitution = {uniform(0, 0.2)}", "tau = 0"))
    assert study.impact.facet_fallback == "plastic"  # the default where there is friction
    again = Study.from_json(study.to_json())
    assert again.to_json() == study.to_json()
    assert again.quantities == study.quantities
    assert study.uncertain == ["body.width", "contact.restitution", "motion.azimuth"]


@pytest.mark.parametrize(
    ("friction", "static"),
    [
        ("0.5", "0.5"),
        (uniform(0.3, 0.5), "0.5"),
        ("0.3", uniform(0.3, 0.5)),
        (uniform(0.3, 0.5), uniform(0.3, 0.6)),
        (uniform(0.3, 0.5), uniform(0.3, 0.5)),
        (
            "{distribution='lognormal', median=0.4, dispersion=0.2}",
            "{distribution='lognormal', median=0.5, dispersion=0.2}",
        ),
    ],
)
def test_static_friction_at_least_friction(with_contact, friction, static):
    study = load_config(with_contact(f"friction = {friction}\nstatic_friction = {static}"))
    drawn = sum("distribution" in item for item in (friction, static))
    # drawn together they are one dimension of the design
    assert len([name for name in study.uncertain if name.startswith("contact.")]) == min(drawn, 1)


@pytest.mark.parametrize(
    ("impact", "message"),
    [
        (Impact(tau=0.1), rf"^Impact\.tau must be 0 \[N m s\] where contacts have friction: {UNBOUNDED}$"),
        (Impact(tau_facet=0.0), r"^Impact\.tau_facet must be left out where contacts have friction"),
        (
            Impact(facet_fallback="rest"),
            r"^Impact\.facet_fallback 'rest' would stop a sliding body at once.*; leave it out, and",
        ),
        (Impact(tau=1.0, facet_fallback="rest"), r"^Impact\.tau .*\nImpact\.facet_fallback "),
    ],
)
def test_impacts_of_python_that_cannot_go_with_friction(impact, message):
    check_contact(impact, Contact())
    with pytest.raises(ValueError, match=message):
        check_contact(impact, Contact(friction=0.5))


def test_laws_of_one_contact_need_friction_that_is_finite():
    impact = Impact(law="routh_1905")
    check_contact(impact, Contact(friction=0.5, restitution=0.2))
    check_contact(Impact(law="brach_1989"), Contact(friction=0.5, tangential_restitution=0.2))
    with pytest.raises(ValueError, match=r"^Impact\.law 'routh_1905' needs contacts with friction"):
        check_contact(impact, Contact())
    with pytest.raises(ValueError, match=r"^Impact\.law 'routh_1905' needs a finite contact\.friction"):
        check_contact(impact, Contact(friction=inf))
    with pytest.raises(ValueError, match=r"^Impact\.law 'routh_1905' has no tangential restitution"):
        check_contact(impact, Contact(friction=0.5, tangential_restitution=0.2))
    with pytest.raises(ValueError, match=r"^Impact\.law 'routh_1905' needs contacts with friction"):
        simulate(cuboid(0.4, 0.4, 1.6, 2600.0), impact=impact, start=Start(edge=0, tilt=0.1))


def test_infinite_friction_bounds_no_angular_impulse():
    check_contact(Impact(tau=0.1), Contact(friction=inf))
    with pytest.raises(ValueError, match=r"^Impact\.facet_fallback"):
        check_contact(Impact(facet_fallback="rest"), Contact(friction=inf))


def test_impacts_of_python_that_go_with_friction():
    for impact in (Impact(), Impact(facet_fallback="plastic"), Impact(tau=0.0, lambda_lat=0.3)):
        check_contact(impact, Contact(friction=0.5))


def test_contacts_of_python():
    assert Contact().values() is None
    np.testing.assert_array_equal(Contact(friction=0.4).values(), [0.4, 0.4, 0.0, 0.0, 0.0])
    full = Contact(
        friction=0.4,
        static_friction=0.5,
        restitution=0.1,
        impact_restitution=0.2,
        tangential_restitution=-0.3,
    )
    np.testing.assert_array_equal(full.values(), [0.4, 0.5, 0.1, 0.2, -0.3])
    for name in ("static_friction", "restitution", "impact_restitution", "tangential_restitution"):
        with pytest.raises(ValueError, match=rf"^Contact\.{name} needs friction too"):
            Contact(**{name: 0.5})
    with pytest.raises(
        ValueError, match=r"static_friction must be at least the friction, 0\.5 \[1\], got 0\.4"
    ):
        Contact(friction=0.5, static_friction=0.4)
    with pytest.raises(ValueError, match=r"Contact\.friction must be a finite number >= 0 \[1\], got -0\.1"):
        Contact(friction=-0.1)
    assert Contact(friction=0).friction == 0.0
    with pytest.raises(ValueError, match="needs friction too"):
        Contact(static_friction=0.0)


def test_infinite_friction_is_none(with_contact, study_file):
    """In a file as in Python: the study and the run are those without friction, bit for bit."""
    plain, study = load_config(study_file()), load_config(with_contact("friction = inf", "tau = 0.1"))
    assert study.quantities == plain.quantities | {"impact.tau": 0.1}
    assert study.impact.facet_fallback == "rest"
    assert mistakes(with_contact("friction = inf\nrestitution = 0.3")) == [
        f"study.toml [contact] restitution: {ALONE}"
    ]
    assert Contact(friction=np.inf).sticks
    assert Contact().sticks
    assert not Contact(friction=np.inf, restitution=0.3).sticks
    assert not Contact(friction=9.0).sticks
    body, start = cuboid(0.4, 0.4, 1.6, 2600), Start(edge=0, tilt=0.1)
    runs = [simulate(body, start=start, contact=contact) for contact in (None, Contact(friction=np.inf))]
    assert runs[0].history.identical(runs[1].history)
    assert runs[0].results.keys() == runs[1].results.keys()
