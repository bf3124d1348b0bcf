"""Property tests are not timed; what takes long is marked, and what is run by hand held out, in one place."""

import ast
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from platformdirs import user_cache_path

# A busy machine or the first compilation must not fail a property test. Ten examples, the same ones in every
# run of a commit; --hypothesis-profile thorough draws 1000 others.
UNTIMED: Any = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("commit", max_examples=10, derandomize=True, **UNTIMED)
settings.register_profile("thorough", max_examples=1000, **UNTIMED)
settings.load_profile("commit")

collect_ignore = ["fuzz/guided.py"]  # imports atheris, which nothing else needs
if os.name == "nt":  # limits of memory and files, signals and terminals are those of POSIX
    collect_ignore += [
        "fuzz",
        "cluster",
        "unit/commands/test_store_limits.py",
        "unit/commands/test_exit_codes.py",
        "unit/commands/test_refusals.py",
    ]
ROOT = Path(__file__).parents[1]
# Run by hand: whatever -m says, tests of these marks run only where it names the mark itself. A default -m in
# pyproject.toml would not hold, as -m "not long" takes its place.
BY_HAND = ("slow", "cluster")
# What takes seconds: studies, processes of their own, figures, whole motions. -m "not long" leaves it out.
# Files, folders, or single tests.
LONG = [
    "tests/fuzz",
    "tests/physics/test_convergence.py",
    "tests/physics/test_friction_certificate.py",
    "tests/physics/test_friction_energy.py",
    "tests/physics/test_friction_outcomes.py",
    "tests/physics/test_friction_symmetry.py",
    "tests/physics/test_laplace_criterion.py",
    "tests/physics/test_planar_agreement.py",
    "tests/physics/test_planar_friction.py",
    "tests/physics/test_planar_limits.py",
    "tests/physics/test_properties.py",
    "tests/physics/test_round_bases.py",
    "tests/physics/test_step_choice.py",
    "tests/physics/test_strong_record.py",
    "tests/published/test_shipped_cases.py",
    "tests/published/varkonyi_2022/test_figure_14.py",
    "tests/published/varkonyi_2022/test_figures.py",
    "tests/published/zhang_makris_2001",
    "tests/unit/base/test_run_while_compiling.py",
    "tests/unit/base/test_code_cache.py",
    "tests/unit/base/test_parallel_compilation.py",
    "tests/unit/base/test_jit.py::test_internal_functions_stay_inside",
    "tests/unit/body/test_merge.py",
    "tests/unit/commands",
    "tests/unit/measurement/test_parameter_distributions.py",
    "tests/unit/study/test_new_study.py::test_every_combination_of_choices_is_accepted",
    "tests/unit/study/test_scans.py",
    "tests/unit/dataset/test_opened.py",
    "tests/unit/dataset/test_damage.py",
    "tests/unit/dataset/test_dataset.py::test_an_export_that_fails_leaves_the_old_file_and_nothing_else",
    "tests/unit/docs/test_engines.py",
    "tests/unit/docs/test_programs.py",
    "tests/unit/ensemble/cluster/test_connect.py",
    "tests/unit/ensemble/cluster/test_scripts.py",
    "tests/unit/ensemble/rare/test_splitting.py",
    "tests/unit/ensemble/test_auto.py",
    "tests/unit/ensemble/test_ways.py",
    "tests/unit/ensemble/test_collection.py",
    "tests/unit/ensemble/test_contact_study.py",
    "tests/unit/ensemble/test_extension.py",
    "tests/unit/ensemble/test_failures.py",
    "tests/unit/ensemble/test_nested_study.py",
    "tests/unit/ensemble/test_run_study.py",
    "tests/unit/ensemble/test_shape_error_study.py",
    "tests/unit/excitation/test_rezaeian_2010.py",
    "tests/unit/excitation/test_rezaeian_2010_fit.py",
    "tests/unit/excitation/test_spectrum_compatible.py",
    "tests/unit/kernel/test_cuda_simulator.py",
    "tests/unit/statistics/labels/test_calibrate.py",
    "tests/unit/statistics/labels/validation/test_distributions.py::test_p_values_of_a_true_study_are_uniform",
    "tests/unit/statistics/labels/validation/test_distributions.py::test_the_shipped_campaign_becomes_one_page",
    "tests/unit/statistics/labels/validation/test_scores.py",
    "tests/unit/statistics/labels/validation/test_validation.py",
    "tests/unit/laws/test_block_3d.py",
    "tests/unit/laws/test_chatterjee_ruina_1998_sequence.py",
    "tests/unit/laws/test_coulomb.py",
    "tests/unit/laws/test_systems.py",
    "tests/unit/laws/test_final_slip.py",
    "tests/unit/laws/test_routh_1905.py",
    "tests/unit/ensemble/test_own_responses.py",
    "tests/unit/impact/test_own_law.py",
    "tests/unit/measurement/test_fit.py",
    "tests/unit/measurement/test_measures.py::test_an_opmf_from_a_noisy_sensor_is_that_of_the_motion_or_bounded",
    "tests/unit/measurement/test_population.py",
    "tests/unit/measurement/test_markers.py",
    "tests/unit/measurement/test_replicates.py::test_a_campaign_is_checked",
    "tests/unit/planar/test_overturning_spectra.py",
    "tests/unit/planar/test_spectrum_plots.py",
    "tests/unit/study/sampling/test_own_motions.py",
    "tests/unit/study/sampling/test_shape_error.py",
    "tests/unit/show/test_animation.py",
    "tests/unit/show/test_animation_friction.py",
    "tests/unit/show/test_animation_options.py",
    "tests/unit/show/test_app.py",
    "tests/unit/show/test_app_door.py",
    "tests/unit/show/test_body_figure.py",
    "tests/unit/show/test_history.py",
    "tests/unit/show/test_notebook_figures.py",
    "tests/unit/show/test_page.py",
    "tests/unit/show/test_plots.py",
    "tests/unit/show/test_population_figure.py",
    "tests/unit/show/test_record_figures.py",
    "tests/unit/show/test_regime_map.py",
    "tests/unit/show/test_study_figures.py",
    "tests/unit/show/test_summary.py::test_laws_are_a_table_of_their_own",
    "tests/unit/show/test_summary.py::test_measures_are_a_table_with_the_best_first",
    "tests/unit/simulation/device",
    "tests/unit/statistics/test_baseline_rules.py",
    "tests/unit/statistics/test_assessment_coverage.py",
    "tests/unit/statistics/test_choices.py",
    "tests/unit/statistics/test_comparison.py",
    "tests/unit/statistics/test_efficiency.py",
    "tests/unit/statistics/test_epistemic.py",
    "tests/unit/statistics/test_fit_fragility.py",
    "tests/unit/statistics/test_fitting_methods.py",
    "tests/unit/statistics/test_plateau.py",
    "tests/unit/statistics/test_rate_distribution.py",
    "tests/unit/statistics/test_rate_intervals.py",
    "tests/unit/statistics/test_sensitivity.py::test_an_idle_input_is_called_significant_as_often_as_said",
    "tests/unit/test_signatures.py",
    "tests/unit/test_isolation.py",
    "tests/unit/test_tiers.py",
    "tests/unit/verify/test_workloads.py",
]


@pytest.fixture(scope="session")
def shipped_system():
    """Systems of contacts by name, computed once by one worker: not to be changed. As they are shown, but
    for the regions of facet impacts, which a fifth of the places has, too."""
    from mcrock.laws import system_example
    from mcrock.laws.systems import spatial_blocks

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spatial_blocks, "FACET_POINTS", 40)
        yield cache(system_example)


@contextmanager
def few_resamples(number=200):
    """The default of all bootstraps, for what compares or draws numbers that were computed alike."""
    from mcrock.statistics.intervals import Bootstrap

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(Bootstrap.__init__.__kwdefaults__, "resamples", number)
        yield


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.import_plugin("tests.traces")
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    # tests of compiled code wait for the compiler, which says nothing: here and in processes that they start;
    # as code of numba, samplers that JAX compiled stay for the next test and the next run
    defaults = {
        "MCROCK_COMPILE_FIRST": "1",
        "JAX_COMPILATION_CACHE_DIR": str(user_cache_path("mcrock") / "jax"),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    for name, value in defaults.items():
        patch.setenv(name, os.environ.get(name, value))


HELD = pytest.StashKey[Counter[str]]()  # how many tests of each mark were held out


def named(expression: str) -> Iterator[str]:
    """Marks that an expression of -m names, but for those behind "not"; none if it is no expression."""

    def walk(node: ast.AST, wanted: bool) -> Iterator[str]:
        if isinstance(node, ast.Name) and wanted:
            yield node.id
        inverted = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, wanted != inverted)

    try:
        yield from walk(ast.parse(expression.strip() or "None", mode="eval"), True)
    except SyntaxError:  # which pytest words
        return


@pytest.hookimpl(tryfirst=True)  # before -m is applied
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    places = {ROOT / place for place in LONG}
    missing = [place for place in LONG if not (ROOT / place.partition("::")[0]).exists()]
    if missing:
        raise pytest.UsageError(f"tests/conftest.py lists as long what is not there: {missing}")
    for item in items:
        itself = ROOT / f"{item.path}::{getattr(item, 'originalname', '')}"
        if item.get_closest_marker("slow") or places & {itself, item.path, *item.path.parents}:
            item.add_marker("long")
    wanted = set(named(config.option.markexpr))
    kept, held = [], []
    for item in items:
        marks = [mark for mark in BY_HAND if item.get_closest_marker(mark)]
        (kept if wanted.issuperset(marks) else held).append(item)
    if held:
        items[:] = kept
        config.hook.pytest_deselected(items=held)
        config.stash[HELD] = Counter(
            mark for mark in BY_HAND for item in held if item.get_closest_marker(mark)
        )
        if hasattr(config, "workeroutput"):  # of pytest-xdist, whose workers print nothing
            config.workeroutput["held"] = dict(config.stash[HELD])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[HELD] = Counter(getattr(node, "workeroutput", {}).get("held", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for mark, number in config.stash.get(HELD, Counter()).items():
        terminalreporter.write_line(f"held out: {number} {mark} tests, which -m {mark} runs")
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reports)
    for reason, number in reasons.most_common():
        terminalreporter.write_line(f"skipped: {number} for {reason}")
