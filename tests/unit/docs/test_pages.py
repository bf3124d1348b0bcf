"""The documentation is true: studies are valid, commands, options, names and links exist."""

import re
import tomllib
from pathlib import Path

import pytest
import typer

import mcrock
from mcrock.commands.program import app
from mcrock.config.study import Study
from tests.unit.docs.pages import PAGES, README, ROOT, SITE, blocks_of, commands_of

STUDIES = [(path, block) for path in PAGES for block in blocks_of(path) if block.language == "toml"]
BASE = tomllib.loads((ROOT / "configs" / "quickstart.toml").read_text(encoding="utf-8"))
LANGUAGES = {"", "python", "toml", "sh"}


def place(item):
    if isinstance(item, Path):
        return f"site/{item.name}" if item in SITE else item.name
    return f"line {item.line}"


@pytest.mark.parametrize(("path", "block"), STUDIES, ids=place)
def test_studies_are_valid(path, block):
    """A whole study, or sections that stand in for those of the main example."""
    data = tomllib.loads(block.text)
    if "start" in data and data.get("motion", {}).get("source") == "none":
        data = {key: item for key, item in BASE.items() if key != "intensity"} | data
    else:
        data = data if "seed" in data else BASE | data
    assert Study.from_data(data, path.name, ROOT)


@pytest.mark.parametrize("path", PAGES + SITE, ids=place)
def test_commands_and_options_exist(path):
    """Every `mcrock ...` is a command with its options, up to placeholders in capitals."""
    for words in commands_of(path):
        command = typer.main.get_command(app)
        rest = words[1:]
        while hasattr(command, "commands") and rest and not rest[0].isupper():
            assert rest[0] in command.commands or rest[0].startswith("-"), " ".join(words)
            if rest[0].startswith("-"):
                break
            command, rest = command.commands[rest[0]], rest[1:]
        options = {name for item in command.params for name in item.opts} | {"-h", "--help"}
        given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert given <= options, " ".join(words)


@pytest.mark.parametrize("path", PAGES + SITE, ids=place)
def test_links_and_named_files_exist(path):
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        assert target.startswith("https://") or (path.parent / target).exists(), target
    for name in re.findall(r"`((?:configs|jobs|tests|mcrock)/[\w./-]+)`", text):
        assert (ROOT / name).exists(), name
    for page in re.findall(r"`mcrock docs\s+([\w-]+)", text):
        assert page.isupper() or (ROOT / "mcrock" / "docs" / f"{page}.md").exists(), page


def test_addresses_are_well_formed():
    """One spelling for each place on the web, encrypted, and DOIs of the form that resolves; no network."""
    seen = {}
    for path in PAGES + SITE:
        text = path.read_text(encoding="utf-8")
        for address in re.findall(r"\bhttps?://[^\s)>`\"']+", text):
            key = address.removeprefix("http://").removeprefix("https://").rstrip("/").lower()
            assert seen.setdefault(key, address) == address, f"{path.name}: {address}"
            assert address.startswith(("https://", "http://127.0.0.1", "http://localhost")), address
        for name in re.findall(r"\bdoi(?:\.org/|:? )([^\s;,)]+)", text, flags=re.IGNORECASE):
            assert re.fullmatch(r"10\.\d{4,9}/\S*[\w)]", name), f"{path.name}: {name}"


@pytest.mark.parametrize("path", PAGES + SITE, ids=place)
def test_names_of_the_package_exist(path):
    """Every `mcrock.NAME` and `mr.NAME` between backticks is there."""
    import importlib

    for name in re.findall(r"`mcrock\.([\w.]+)", path.read_text(encoding="utf-8")):
        value = importlib.import_module("mcrock")
        for part in name.rstrip(".").split("."):
            if not part.isupper() or hasattr(value, part):
                try:
                    value = getattr(value, part)
                except AttributeError:
                    value = importlib.import_module(f"{value.__name__}.{part}")


@pytest.mark.parametrize("path", PAGES, ids=place)
def test_blocks_are_of_languages_that_are_tested(path):
    assert {block.language for block in blocks_of(path)} <= LANGUAGES


@pytest.mark.parametrize("path", PAGES, ids=place)
def test_no_line_begins_a_comment(path):
    """To MyST a percent sign at the start of a line is one, and the rest of the paragraph is gone."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"^%", text, flags=re.MULTILINE)


def test_the_citation_names_this_version():
    assert f"version = {{{mcrock.__version__}}}," in README.read_text(encoding="utf-8")
