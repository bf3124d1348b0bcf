"""Misspelt keywords of public names are answered with the one that was meant."""

import pytest

import mcrock as mr


@pytest.mark.parametrize(
    ("call", "wrong", "meant"),
    [
        (lambda: mr.Impact(lam=0.8), "lam", "lambda_"),
        (lambda: mr.Impact(lambda_long=0.8), "lambda_long", "lambda_lon"),
        (lambda: mr.Contact(frictoin=0.5), "frictoin", "friction"),
        (lambda: mr.cuboid(width=1, depth=1, hieght=2, density=3), "hieght", "height"),
        (lambda: mr.simulate(None, impacts=None), "impacts", "impact"),
        (lambda: mr.fit_fragility(None, levle=0.9), "levle", "level"),
        (lambda: mr.run_study(None, "a.zarr", worker=2), "worker", "workers"),
    ],
)
def test_a_misspelt_keyword_has_a_suggestion(call, wrong, meant):
    with pytest.raises(TypeError, match=rf"'{wrong}'; did you mean '{meant}'\?$"):
        call()


def test_other_type_errors_stay():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'body'"):
        mr.simulate()
    with pytest.raises(TypeError, match=r"'weight'$"):
        mr.Impact(weight=3)
