"""`mcrock laws`: what is listed exists, every system is shown, wrong input is one line."""

import inspect

import pytest

from mcrock.impact.registry import Law
from mcrock.laws import LAWS, SYSTEMS, law_function, plot_system, system_example, system_parameters
from mcrock.study.impact import PRESETS


def test_all_laws_and_systems_are_listed(mcrock):
    code, output, errors = mcrock("laws", "list")
    assert (code, errors) == (0, "")
    assert all(f"  {name} " in output for name in (*LAWS, *SYSTEMS))


def test_laws_of_studies_are_listed_too(mcrock):
    _, output, _ = mcrock("laws", "list")
    listed = output.split("for impact.law of a study file\n")[1].split("\n\n")[0]
    with_friction = [law.key for law in Law if law.of_one_contact]  # last
    laws = [law.key for law in Law if not law.of_one_contact] + with_friction
    assert [line.split()[0] for line in listed.splitlines()] == laws
    assert all(f"  {law.key:<23}{law.source}\n" in output for law in Law)


@pytest.mark.parametrize("name", LAWS)
def test_every_law_that_is_listed_is_there(name):
    function = law_function(name)
    assert function.__name__ == name
    assert inspect.getdoc(function)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_is_described_and_drawn(name, mcrock, shipped_system, tmp_path, monkeypatch):
    ds = shipped_system(name)
    monkeypatch.setattr("mcrock.laws.system_example", {name: ds}.get)
    code, output, errors = mcrock("laws", "show", name, "-o", tmp_path)
    assert (code, errors) == (0, "")
    assert output.splitlines()[0] == ds.attrs["title"]
    assert output.splitlines()[-1] == str(tmp_path / f"{name}.png")
    assert (tmp_path / f"{name}.png").stat().st_size > 10_000
    assert all(f"{key} =" in output.replace("\n  ", " ") for key in system_parameters(name))
    assert all("units" in ds[variable].attrs for variable in ds.data_vars)
    assert "nan" not in output


def test_parameters_change_the_system(mcrock, tmp_path):
    code, output, _ = mcrock("laws", "show", "rocking_rod", "-o", tmp_path, "--set", "half_length=0.5")
    assert code == 0
    assert "half_length = 0.5" in output


def test_a_dataset_of_no_system_is_refused():
    with pytest.raises(ValueError, match="system_example"):
        plot_system(system_example("rod").drop_attrs())
    with pytest.raises(ValueError, match="no impact law 'morau'"):
        law_function("morau")


def test_presets_are_listed_with_what_they_stand_for(mcrock):
    _, output, _ = mcrock("laws", "list")
    listed = output.split("presets, for impact.preset of a study file\n")[1].split("\n\n")[0]
    names = [line.split()[0] for line in listed.splitlines() if not line.startswith("    ")]
    assert names == list(PRESETS)
    assert "    lambda_lon 0 to 1.5 [1]: section 5.3\n" in listed
    assert all(preset.source in listed for preset in PRESETS.values())
