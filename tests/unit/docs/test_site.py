"""The site builds without a warning, its links lead somewhere, and it takes nothing from the network."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.unit.docs.pages import PACKAGE, ROOT

for needed in ("sphinx", "myst_nb", "pydata_sphinx_theme", "sphinx_design"):
    pytest.importorskip(needed, reason="the site needs pip install 'mcrock[docs]'")

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}  # without asking


class Page(HTMLParser):
    """Links of a page, the places in it that links may lead to, and what a browser loads to show it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.loaded: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places.add(given.get("id"))
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if LOADED.get(tag) in given:
            self.loaded.add(given[LOADED[tag]])


@pytest.mark.slow  # continuous integration builds it next to the suite
def test_site(tmp_path):
    """Built as `mcrock docs contributing` says, without running notebooks; one test, as it takes a while."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-D", "nb_execution_mode=off"]
    built = subprocess.run(
        [*command, "-c", "mcrock/docs/site", "mcrock/docs", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    made = [path for path in tmp_path.rglob("*.html") if "_static" not in path.parts]
    site = {path: Page(path) for path in made}
    assert {path.stem for path in (PACKAGE / "docs").glob("*.md")} <= {path.stem for path in site}
    check_links(site)
    check_network(site, tmp_path)


def check_links(site):
    """Links lead to a file of the site, and to a place in it."""
    for path, page in site.items():
        for link in page.links | page.loaded:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target in site:
                assert unquote(parts.fragment) in site[target].places, f"{path.name}: {link}"


def check_network(site, folder):
    """Nothing comes from the network: neither scripts, styles, fonts nor pictures."""
    for path, page in site.items():
        assert [link for link in page.loaded if urlsplit(link).netloc] == [], path.name
    styles = list(folder.rglob("*.css"))
    assert styles
    for style in styles:
        text = style.read_text(encoding="utf-8")
        assert re.findall(r"(?:@import\s+|url\()[\"']?(?:https?:)?//[^\"')]+", text) == [], style.name
