"""`mcrock docs`: pages in the terminal, sections of them, and what there is where a page is not."""

import re

import pytest

from mcrock.commands.program import COMMANDS, HOMES, PANELS
from mcrock.commands.reference import FOLDER, sections_about, sections_of, show

PAGES = sorted(path.stem for path in FOLDER.glob("*.md"))


def test_without_a_page_the_pages_are_listed(mcrock):
    code, output, errors = mcrock("docs")
    assert (code, errors) == (0, "")
    listed = re.findall(r"^- \[([\w-]+)\]\((\S+)\.md\): \S.+[^\n]*", output, re.MULTILINE)
    assert all(name == target for name, target in listed)
    assert sorted(["index", *(name for name, _ in listed)]) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_printed_as_it_is_where_no_terminal_reads_it(mcrock, page):
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    assert mcrock("docs", page) == (0, text.rstrip() + "\n", "")


def test_a_terminal_shows_set_text(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    show("# Title\n\nSome `code` here.\n")
    output = capsys.readouterr().out
    assert "\x1b[" in output
    assert "# Title" not in output
    assert "`" not in output


def test_a_page_that_is_not_there_is_one_message(mcrock):
    code, output, errors = mcrock("docs", "study_fil")
    assert (code, output) == (2, "")
    assert errors.splitlines()[0] == "mcrock: no page 'study_fil'; did you mean 'study-file'?"
    assert errors.splitlines()[1] == f"mcrock: the pages are {', '.join(PAGES)}"
    assert "mcrock: 'lambda_lon' is mentioned in" in mcrock("docs", "lambda_lon")[2]


def test_sections_by_their_heading_or_else_by_what_they_say(mcrock):
    _, output, _ = mcrock("docs", "study-file", "Intensity")
    assert output.startswith("## `[intensity]`")
    assert "\n### Measures\n" in output
    assert "[ensemble]`" not in output
    assert mcrock("docs", "study-file", "rest_time")[1].startswith("## `[controls]`")


def test_sections_end_at_headings_outside_of_code():
    text = "# A\n\n```\n# comment\n```\n\n## B\ntext\n### C\n## D\n"
    assert [(level, part.splitlines()[0]) for level, part in sections_of(text)] == [
        (1, "# A"),
        (2, "## B"),
        (3, "### C"),
        (2, "## D"),
    ]
    assert sections_about("b", text) == "## B\ntext\n\n### C\n"
    assert sections_about("comment", text).startswith("# A\n")
    assert sections_about("x", "# A\n\nx\n") == "# A\n\nx\n"


def test_help_keeps_units_in_brackets(mcrock):
    assert "[years]" in mcrock("risk", "--help")[1]
    assert "[m]" in mcrock("stats", "--help")[1]


@pytest.mark.parametrize("command", [(), ("run",), ("spectrum", "rocking"), ("laws",)])
def test_help_names_no_type_of_options_that_take_none(mcrock, command):
    assert "bool" not in mcrock(*command, "--help")[1]


def test_every_command_stands_once_in_the_help_with_one_line_for_what_it_does(mcrock, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERMINAL_WIDTH", "100")
    lines = mcrock("--help")[1].split("Start", 1)[1].splitlines()
    listed = [line.strip("│ ").split()[0] for line in lines if line.startswith("│ ")]
    assert sorted(listed) == sorted(COMMANDS) == sorted(" ".join(HOMES.values()).split())
    assert all(f" {panel} " in "".join(lines) for panel in [*PANELS][1:])
