"""The page of `mcrock app` in a real browser, driven by its names and by the keyboard. Run with -m slow."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest

import mcrock
from tests.unit.conftest import write_study

pytestmark = pytest.mark.slow
pytest.importorskip("panel", reason="the page needs the extra app")
sync_api = pytest.importorskip("playwright.sync_api", reason="a browser is driven by Playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WAIT = 120_000  # for the compiler [ms]


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    with sync_api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened.new_context()  # whose pages share their cookies
        opened.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("app")
    mcrock.run_study(mcrock.load_config(write_study(place)), place / "s.zarr").close()
    return place


@pytest.fixture(scope="module")
def serve(folder):
    """Start the command and give the address that it prints."""
    started = []

    def start(*arguments):
        command = [sys.executable, "-m", "mcrock", "app", *map(str, arguments)]
        own = os.environ | {"TMPDIR": str(folder)}  # where what is dropped lies while the command runs
        process = subprocess.Popen(command, cwd=folder, env=own, stdout=subprocess.PIPE, text=True)
        started.append(process)
        line = process.stdout.readline().strip()
        assert line.startswith("http://"), line
        return line

    start.started = started
    yield start
    for process in started:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        process.stdout.close()


@pytest.fixture(scope="module")
def address(serve):
    return serve("s.zarr")


def opened(browser, address, width=1280, theme="default"):
    page = browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.set_default_timeout(WAIT)
    page.outside = []
    own = address.partition("?")[0]
    page.on(
        "request", lambda asked: asked.url.startswith(("http:", "https:")) and page.outside.append(asked.url)
    )
    page.goto(f"{address}{'&' if '?' in address else '?'}theme={theme}")
    page.own = own
    return page


@pytest.mark.parametrize(("width", "theme"), [(1280, "default"), (420, "dark")])
def test_a_run_is_watched_by_keyboard(browser, address, width, theme):
    page = opened(browser, address, width, theme)
    button = page.get_by_role("button", name="Weakest overturned")
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text="Weakest overturned").wait_for()  # after that of the start
    page.locator("iframe.replay").scroll_into_view_if_needed()  # browsers draw what is seen
    frame = page.frame_locator("iframe.replay")
    frame.locator("#play").focus()
    page.keyboard.press("Space")
    frame.locator("#place[aria-valuetext]").wait_for()
    assert frame.locator("html").get_attribute("data-theme") == ("dark" if theme == "dark" else "light")
    page.get_by_role("button", name="This run").press("Enter")
    page.get_by_text("mcrock simulate s.zarr --realization").wait_for()
    assert page.get_by_role("status").filter(has_text="overturned; of the ").is_visible()
    assert page.get_by_text("for the last time at").is_visible()
    assert ";base64,iVBORw0KGgo" in page.get_by_text("Save run-").get_attribute("href")  # of a PNG
    assert all(url.startswith(page.own) for url in page.outside)
    for place in ("html", "#main", "#sidebar"):  # nothing to scroll sideways
        assert page.locator(place).first.evaluate("(at) => at.scrollWidth <= at.clientWidth"), place
    page.close()


NAME = """() => {  // of what has the focus: its own, that of its field or figure, or its text
  let at = document.activeElement
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  if (at === document.body) return null
  let figure = at
  while (figure && figure.role !== "img") figure = figure.parentNode || figure.host
  const text = (part) => part.nodeName === "STYLE" ? "" : part.nodeType === 3 ? part.data
    : [...part.childNodes, ...(part.shadowRoot?.childNodes || [])].map(text).join("")
  return (at.ariaLabel || at.title || figure?.ariaLabel || at.labels?.[0]?.textContent || text(at)).trim()
}"""


def names_on_the_way(page):
    """Names of what Tab reaches after the choice of the part, to the end of the page."""
    page.get_by_role("tab", selected=True).focus()
    found = []
    while len(found) < 60:
        page.keyboard.press("Tab")
        if (name := page.evaluate(NAME)) is None:
            break
        found.append(name)
    assert len(found) < 60
    assert all(found), found
    return " | ".join(found)


def test_every_part_is_reached_by_keyboard_and_everything_has_a_name(browser, serve, folder):
    page = opened(browser, serve("s.zarr"))
    page.get_by_role("button", name="Strongest survivor").wait_for()
    page.get_by_role("tab", name="Understand").focus()
    found = names_on_the_way(page)
    assert re.search(
        "Probability.*Median.*Strongest survivor.*Another run.*This run.*Every run.*table", found
    )
    page.get_by_role("tab", selected=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Judge the site").wait_for()
    assert re.search(r"Browse.*Exposure.*Judge.*Make: data", names_on_the_way(page))
    page.get_by_role("button", name="Make: data").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Save s.nc").wait_for()
    with page.expect_download() as taken:
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    with mcrock.load_dataset(taken.value.path()) as saved, mcrock.load_dataset(folder / "s.zarr") as stored:
        assert (saved["outcome"] == stored["outcome"]).all()
    page.get_by_role("tab", selected=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_label("How high is it?").wait_for()
    assert re.search("How high.*Which earthquakes.*Study file.*Check", names_on_the_way(page))
    page.get_by_label("How high is it?").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("2 m")
    page.keyboard.press("Tab")
    sync_api.expect(page.get_by_label("Study file", exact=True)).to_have_value(re.compile("height = 2"))
    page.get_by_role("tab", selected=True).focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("status").filter(has_text="runs of the study").wait_for()
    assert re.search("Store to write.*Run.*Stop.*Probability.*Height", names_on_the_way(page))
    page.close()


def test_a_study_is_described_run_and_looked_at(browser, serve, folder):
    page = opened(browser, serve("study.toml"))
    page.get_by_role("tab", name="Shake").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").filter(has_text="nothing is written but where you say").wait_for()
    page.get_by_label("Store to write").fill("s.zarr")
    page.get_by_label("Store to write").press("Tab")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("alert").filter(has_text="s.zarr exists already").wait_for()
    page.get_by_label("Store to write").fill("new.zarr")
    page.get_by_label("Store to write").press("Tab")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("status").filter(has_text=re.compile("Stopped|Done")).wait_for()
    if page.get_by_text("Stopped").count():  # where it did not end before
        page.get_by_role("button", name="Resume", exact=True).click()
    page.get_by_text("Done: new.zarr").wait_for()
    time.sleep(3)
    page.get_by_role("tab", name="Understand").click()
    page.get_by_role("button", name="Strongest survivor").wait_for()
    with mcrock.load_dataset(folder / "new.zarr") as new, mcrock.load_dataset(folder / "s.zarr") as old:
        assert (new["outcome"] == old["outcome"]).all()
    page.close()


def test_a_study_file_fills_the_form_and_keeps_what_the_form_cannot_show(browser, serve, folder, tmp_path):
    text = (folder / "study.toml").read_text().replace("[body]", "[body]\ngravity = 3.7")
    text = text.replace("unit test", "<script>window.evil = 1</script>")
    (tmp_path / "moon.toml").write_text(text)
    page = opened(browser, serve())
    page.get_by_label("How high is it?").wait_for()
    page.set_input_files("input[type=file] >> nth=1", tmp_path / "moon.toml")
    page.get_by_role("status").filter(has_text="body.gravity").wait_for()
    height, study = page.get_by_label("How high is it?"), page.get_by_label("Study file", exact=True)
    sync_api.expect(height).to_have_value("1.0 m")
    height.fill("9 m")
    height.press("Tab")
    sync_api.expect(study).to_have_value(re.compile(r"height = 9.*gravity = 3\.7", re.DOTALL))
    assert page.evaluate("window.evil") is None
    with page.expect_download() as taken:
        page.get_by_text("Save study.toml").click()
    taken.value.save_as(tmp_path / "taken.toml")
    assert (tmp_path / "taken.toml").read_text() == study.input_value()
    page.close()


def test_a_slider_has_a_name_and_moves_by_keyboard(browser, serve):
    page = opened(browser, serve("study.toml"))
    page.get_by_role("tab", name="Shake").click()
    slider = page.get_by_role("slider", name="Height [m]")
    page.get_by_role("status").filter(has_text="runs of the study").wait_for()
    before = slider.input_value()
    slider.focus()
    page.keyboard.press("PageUp")
    assert float(slider.input_value()) > float(before)
    page.close()


def test_a_lost_connection_is_said(browser, serve):
    page = opened(browser, serve())
    page.get_by_label("How high is it?").wait_for()
    serve.started[-1].kill()
    page.get_by_text("The connection is lost").first.wait_for()
    assert "height" in page.get_by_label("Study file", exact=True).input_value()
    page.close()
