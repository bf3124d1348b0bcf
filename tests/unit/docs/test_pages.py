"""The documentation is true: studies are valid, commands, options, names and links exist."""

import ast
import importlib
import re
import tomllib

import typer

import mcrock
from mcrock.commands.program import app
from mcrock.study.collection import TEMPLATE, load_collection
from mcrock.study.study import Study
from tests.unit.docs.pages import PAGES, README, ROOT, SITE, blocks_of, commands_of

SHARED = """density = 2000.0
[motion]
source = "fema_p695"
[intensity]
measure = "pga"
levels_g = [0.4]
[ensemble]
realizations = 1
"""
BASE = tomllib.loads((ROOT / "configs" / "quickstart.toml").read_text(encoding="utf-8"))
LANGUAGES = {"", "python", "toml", "sh"}
TEXTS = {path: path.read_text(encoding="utf-8") for path in PAGES + SITE}


def test_studies_are_valid(tmp_path):
    """A whole study, or sections that stand in for those of the main example; a collection with a table."""
    faults = []
    for path in PAGES:
        for block in (block for block in blocks_of(path) if block.language == "toml"):
            data = tomllib.loads(block.text)
            if "start" in data and data.get("motion", {}).get("source") == "none":
                data = {key: item for key, item in BASE.items() if key != "intensity"} | data
            else:
                data = data if "seed" in data else BASE | data
            try:
                if "collection" in data:
                    (tmp_path / data.pop("collection")["table"]).write_text(TEMPLATE)
                    (tmp_path / "study.toml").write_text(f"seed = 1\n{block.text}[body]\n{SHARED}")
                    load_collection(tmp_path / "study.toml")
                Study.from_data(data, path.name, ROOT)
            except ValueError as error:
                faults.append(f"{path.name}, line {block.line}: {error}")
    assert not faults, "\n".join(faults)


def test_commands_and_options_exist():
    """Every `mcrock ...` is a command with its options, up to placeholders in capitals."""
    program, faults, seen = typer.main.get_command(app), [], 0
    for path in TEXTS:
        for words in commands_of(path):
            command, rest, seen = program, words[1:], seen + 1
            while hasattr(command, "commands") and rest and rest[0] in command.commands:
                command, rest = command.commands[rest[0]], rest[1:]
            if hasattr(command, "commands") and rest and not (rest[0].isupper() or rest[0].startswith("-")):
                faults.append(f"{path.name}: no command {' '.join(words)}")
            options = {name for item in command.params for name in item.opts} | {"-h", "--help"}
            given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
            faults += [f"{path.name}: no option {name}: {' '.join(words)}" for name in given - options]
    assert seen > 100
    assert not faults, "\n".join(faults)


def test_links_and_named_files_exist():
    missing = []
    for path, text in TEXTS.items():
        links = [link for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text) if link[:8] != "https://"]
        files = re.findall(r"`((?:configs|jobs|tests|mcrock)/[\w./-]+)`", text)
        pages = [page for page in re.findall(r"`mcrock docs\s+([\w-]+)", text) if not page.isupper()]
        places = [path.parent / link for link in links] + [ROOT / name for name in files]
        places += [ROOT / "mcrock" / "docs" / f"{page}.md" for page in pages]
        missing += [f"{path.name}: {place}" for place in places if not place.exists()]
    assert not missing, "\n".join(missing)


def test_addresses_are_well_formed():
    """One spelling for each place on the web, encrypted, and DOIs of the form that resolves; no network."""
    seen = {}
    for path, text in TEXTS.items():
        for address in re.findall(r"\bhttps?://[^\s)>`\"']+", text):
            key = address.removeprefix("http://").removeprefix("https://").rstrip("/").lower()
            assert seen.setdefault(key, address) == address, f"{path.name}: {address}"
            assert address.startswith(("https://", "http://127.0.0.1", "http://localhost")), address
        for name in re.findall(r"\bdoi(?:\.org/|:? )([^\s;,)]+)", text, flags=re.IGNORECASE):
            assert re.fullmatch(r"10\.\d{4,9}/\S*[\w)]", name), f"{path.name}: {name}"


def test_names_of_the_package_exist():
    """Every `mcrock.NAME` between backticks is there."""
    missing = []
    for path, text in TEXTS.items():
        for name in re.findall(r"`mcrock\.([\w.]+)", text):
            value = mcrock
            for part in name.rstrip(".").split("."):
                if not part.isupper() or hasattr(value, part):
                    try:
                        value = getattr(value, part)
                    except AttributeError:
                        try:
                            value = importlib.import_module(f"{value.__name__}.{part}")
                        except (ImportError, AttributeError):
                            missing.append(f"{path.name}: mcrock.{name}")
                            break
    assert not missing, "\n".join(missing)


def test_blocks_are_of_languages_that_are_tested():
    found = {block.language: f"{path.name}, line {block.line}" for path in PAGES for block in blocks_of(path)}
    assert {language: where for language, where in found.items() if language not in LANGUAGES} == {}


def test_no_line_begins_a_comment():
    """To MyST a percent sign at the start of a line is one, and the rest of the paragraph is gone."""
    block = re.compile(r"^```.*?^```$", flags=re.MULTILINE | re.DOTALL)
    begun = [path.name for path in PAGES if re.search(r"^%", block.sub("", TEXTS[path]), flags=re.MULTILINE)]
    assert not begun, "\n".join(begun)


def test_the_citation_names_this_version():
    assert f"version = {{{mcrock.__version__}}}," in README.read_text(encoding="utf-8")


def test_every_number_has_a_function_and_a_test_that_exist():
    """In the table of `tests/numbers.md`: names of functions, files of tests, and tests in them."""
    text = (ROOT / "tests" / "numbers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \| (.*?) \| (.*?) \|$", text, re.MULTILINE)
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "mcrock").rglob("*.py"))
    files: dict[str, str] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        files[path.stem] = files.get(path.stem, "") + path.read_text(encoding="utf-8")
    short = dict(re.findall(r"`(\w+)` stands for `([\w:]+)`", text))
    assert len(rows) > 30
    for number, functions, tests in rows[1:]:
        for name in re.findall(r"`([\w.]+)`", functions):
            last = name.rpartition(".")[2]
            module = any((ROOT / "mcrock").rglob(f"{last}.py"))
            assert module or re.search(rf"^(?:def|class) {last}\b", code, re.MULTILINE), (number, name)
        for name in re.findall(r"`([^`]+)`", tests):
            file, _, test = short.get(name, name).partition("::")
            assert file in files, (number, name)
            found = test.replace("*", "[a-z_]*") or "test_"
            assert re.search(rf"^def {found}", files[file], re.MULTILINE), (number, name)


def test_the_page_of_the_kernel_shows_its_driver():
    """`mcrock docs kernel` has the body of `integrate` to the letter."""
    tree = ast.parse((ROOT / "mcrock" / "kernel" / "integrate.py").read_text(encoding="utf-8"))
    driver = next(node for node in tree.body if getattr(node, "name", "") == "integrate")
    body = "\n".join(ast.unparse(statement) for statement in driver.body[1:])
    page = (ROOT / "mcrock" / "docs" / "kernel.md").read_text(encoding="utf-8").split("```\n")[1]
    assert ast.unparse(ast.parse(page)) == body
