"""Programs of README and documentation run and print what the page says."""

import pytest

from tests.unit.docs.pages import PAGES, ROOT, programs_of


@pytest.mark.parametrize("path", [path for path in PAGES if programs_of(path)], ids=lambda path: path.name)
def test_programs_print_what_the_page_says(path, tmp_path, monkeypatch, capsys):
    """The programs of a page run one after the other in one session, at the root of a clone."""
    (tmp_path / "configs").symlink_to(ROOT / "configs")
    monkeypatch.chdir(tmp_path)
    session = {"__name__": "page"}
    for block, printed in programs_of(path):
        code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
        exec(code, session)
        output = capsys.readouterr().out
        assert output == (printed or ""), f"line {block.line}"
