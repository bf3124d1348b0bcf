"""The keywords that statistics and figures share: one definition, shown by every function, refused once."""

import inspect
from dataclasses import fields

import pytest

from mcrock import plots, statistics
from mcrock.statistics import Bootstrap, Confidence, exceedance_probability, overturning_probability
from mcrock.statistics.intervals import BootstrapKeywords, ConfidenceKeywords

RESAMPLED = [
    statistics.fit_fragility,
    statistics.fragility_by_choice,
    statistics.compare_measures,
    plots.plot_fragility,
    plots.plot_choices,
    plots.plot_measures,
]


@pytest.mark.parametrize(
    ("pack", "keywords"), [(Confidence, ConfidenceKeywords), (Bootstrap, BootstrapKeywords)]
)
def test_packs_and_keywords_have_the_same_fields(pack, keywords):
    assert {each.name: each.type for each in fields(pack)} == {
        name: kind.__forward_arg__ for name, kind in keywords.__annotations__.items()
    }


@pytest.mark.parametrize(
    ("function", "pack"),
    [(each, Bootstrap) for each in RESAMPLED]
    + [
        (each, Confidence)
        for each in (overturning_probability, exceedance_probability, plots.plot_exceedance)
    ],
)
def test_signatures_show_the_fields_with_their_defaults(function, pack):
    shown = inspect.signature(function).parameters
    assert {each.name: each.default for each in fields(pack)}.items() <= {
        name: each.default for name, each in shown.items()
    }.items()
    assert all(shown[each.name].kind is inspect.Parameter.KEYWORD_ONLY for each in fields(pack))
    assert all(each.kind is not inspect.Parameter.VAR_KEYWORD for each in shown.values())


@pytest.mark.parametrize("module", [statistics, plots])
def test_no_signature_hides_its_keywords(module):
    functions = {name: each for name in module.__all__ if inspect.isfunction(each := getattr(module, name))}
    assert functions
    for name, function in functions.items():
        kinds = [each.kind for each in inspect.signature(function).parameters.values()]
        assert inspect.Parameter.VAR_KEYWORD not in kinds, f"{name} needs @shared_keywords"


def test_a_statistic_without_resamples_takes_no_seed():
    with pytest.raises(TypeError, match="seed"):
        overturning_probability(None, seed=1)
    assert Bootstrap(level=0.9, cluster=False, seed=3).keywords == {
        "level": 0.9,
        "cluster": False,
        "allow_missing": False,
    }
