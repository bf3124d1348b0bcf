"""Shipped files are found in a checkout and in the installed package."""

import tomllib
from pathlib import Path

from mcrock.base import environment as module
from mcrock.base.environment import shipped

ROOT = Path(module.__file__).parents[2]


def test_a_checkout_has_them_at_its_root():
    assert shipped("configs") == ROOT / "configs"
    assert (shipped("jobs") / "slurm_array.sh").is_file()


def test_installed_ones_come_first(monkeypatch, tmp_path):
    (tmp_path / "mcrock" / "configs").mkdir(parents=True)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "mcrock" / "base" / "environment.py"))
    assert shipped("configs") == tmp_path / "mcrock" / "configs"
    assert shipped("jobs") == tmp_path / "jobs"


def test_the_wheel_puts_them_where_they_are_looked_for():
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    wheel = build["targets"]["wheel"]["force-include"]
    assert wheel == {folder: f"mcrock/{folder}" for folder in ("configs", "jobs")}
