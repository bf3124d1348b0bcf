"""Property tests are not timed, and what takes long is marked in one place."""

from pathlib import Path

import pytest
from hypothesis import settings

# a busy machine or the first compilation must not fail a property test
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).parents[1]
# What takes seconds: studies, processes of their own, figures, whole motions. -m "not long" leaves it out.
LONG = [
    "tests/fuzz",
    "tests/physics/test_convergence.py",
    "tests/physics/test_friction_certificate.py",
    "tests/physics/test_friction_energy.py",
    "tests/physics/test_friction_outcomes.py",
    "tests/physics/test_friction_symmetry.py",
    "tests/physics/test_laplace_criterion.py",
    "tests/physics/test_planar_agreement.py",
    "tests/physics/test_planar_limits.py",
    "tests/physics/test_properties.py",
    "tests/physics/test_round_bases.py",
    "tests/physics/test_step_choice.py",
    "tests/physics/test_strong_record.py",
    "tests/published/test_shipped_cases.py",
    "tests/published/varkonyi_2022/test_figures.py",
    "tests/published/varkonyi_2022/test_figure_14.py",
    "tests/published/zhang_makris_2001",
    "tests/unit/bench",
    "tests/unit/body/test_merge.py",
    "tests/unit/cluster/test_connect.py",
    "tests/unit/cluster/test_scripts.py",
    "tests/unit/commands",
    "tests/unit/device",
    "tests/unit/docs/test_programs.py",
    "tests/unit/docs/test_site.py",
    "tests/unit/ensemble/test_extension.py",
    "tests/unit/ensemble/test_nested_study.py",
    "tests/unit/ensemble/test_failures.py",
    "tests/unit/ensemble/test_run_study.py",
    "tests/unit/ensemble/test_shape_error_study.py",
    "tests/unit/excitation/test_rezaeian_2010.py",
    "tests/unit/excitation/test_rezaeian_2010_fit.py",
    "tests/unit/excitation/test_spectrum_compatible.py",
    "tests/unit/kernel/test_cuda_simulator.py",
    "tests/unit/labels/test_calibrate.py",
    "tests/unit/laws/test_block_3d.py",
    "tests/unit/laws/test_whittaker_1904.py",
    "tests/unit/measurement/test_fit.py",
    "tests/unit/measurement/test_population.py",
    "tests/unit/planar/test_overturning_spectra.py",
    "tests/unit/planar/test_spectrum_plots.py",
    "tests/unit/plots",
    "tests/unit/rare/test_stopping.py",
    "tests/unit/sampling/test_own_motions.py",
    "tests/unit/statistics/test_choices.py",
    "tests/unit/statistics/test_comparison.py",
    "tests/unit/statistics/test_efficiency.py",
    "tests/unit/statistics/test_fit_fragility.py",
    "tests/unit/statistics/test_nested.py",
    "tests/unit/validation/test_validation.py",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {ROOT / place for place in LONG}
    missing = [str(place) for place in places if not place.exists()]
    if missing:
        raise pytest.UsageError(f"tests/conftest.py lists as long what is not there: {missing}")
    for item in items:
        if item.get_closest_marker("slow") or places & {item.path, *item.path.parents}:
            item.add_marker("long")
