"""Who may see the page of `mcrock app`: who brought its token, under a known name."""

import re
import subprocess
import sys
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from types import SimpleNamespace

import pytest

pytest.importorskip("panel", reason="the page needs the extra app")
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine

from mcrock.show.app.page import COOKIE, Door, open_in_browser

SOCKET = {"Upgrade": "websocket", "Connection": "Upgrade"}


@pytest.fixture
def door():
    return Door("10.0.0.7", ["rocks.example"], lambda query: None)


def request(door, **headers):
    given = {"Host": "localhost:5006", "Cookie": f"{COOKIE}={door.cookie}"} | headers
    named = HTTPHeaders({name.replace("_", "-"): value for name, value in given.items() if value})
    connection = SimpleNamespace(context=None, set_close_callback=None)
    line = RequestStartLine("GET", "/", "HTTP/1.1")
    return HTTPServerRequest(start_line=line, headers=named, connection=connection)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://localhost:5006"},
        {"Host": "127.0.0.1:9999", "Origin": "http://127.0.0.1:9999"},  # of a tunnel
        {"Host": "[::1]:9999", "Origin": "http://[::1]:9999"},
        {"Host": "10.0.0.7:5006", "Origin": "http://10.0.0.7:5006"},
        {"Host": "rocks.example", "Origin": "https://rocks.example"},
        {"Origin": "https://rocks.example", **SOCKET},  # of a proxy
    ],
)
def test_a_browser_of_the_owner_is_let_in_by_any_name_of_the_machine(door, headers):
    assert door.match(request(door, **headers)) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": None},
        {"Cookie": f"{COOKIE}=guessed"},
        {"Cookie": f"{COOKIE}=\u00e9"},
        {"Host": "evil.example:5006"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "[:"},
        {"Host": "10.0.0.8"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://localhost:8888"},  # of another user of the machine
        {"Origin": "http://localhost:8888", **SOCKET},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},  # of another port
    ],
)
def test_nobody_else_is(door, headers):
    assert door.match(request(door, **headers)) == {}


def test_a_token_opens_once(door):
    token = door.token
    assert not door.opens(b"")
    assert not door.opens("\u00e9".encode())
    assert door.opens(token.encode())
    assert not door.opens(token.encode())
    assert door.opens(door.token.encode())


def test_a_browser_is_opened_without_the_token_in_its_arguments(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    open_in_browser("http://localhost:5006/?token=secret", str(tmp_path))
    (file,) = tmp_path.iterdir()
    assert opened == [file.as_uri()]
    assert file.stat().st_mode & 0o777 == 0o600
    assert "url=http://localhost:5006/?token=secret" in file.read_text()


def test_who_has_no_token_sees_nothing(computed):
    command = [sys.executable, "-m", "mcrock", "app", str(computed)]
    jar = CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))

    def get(url, opener=browser, **headers):
        try:
            with opener.open(urllib.request.Request(url, headers=headers)) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            link = process.stdout.readline().strip()
            page = link.partition("?")[0]
            root = re.match("http://[^/]*", link)[0]
            stranger = urllib.request.build_opener()
            for path in ("/", "/static/js/bokeh.min.js", "/ws", "/autoload.js", "/?token=%ff"):
                for place in (root + path, page.rstrip("/") + path):
                    code, text = get(place, stranger)
                    assert code == 403
                    assert computed.name not in text
            assert get(link, Host="evil.example")[0] == 403
            assert get(link)[0] == 200
            (cookie,) = jar
            assert cookie.get_nonstandard_attr("SameSite") == "Strict"
            assert cookie.has_nonstandard_attr("HttpOnly")
            assert cookie.path == page.removeprefix(root).rstrip("/")
            assert get(link, stranger)[0] == 403  # a second time
            assert computed.name in get(page)[1]
            text = get(f"{page}?theme=default")[1]
            named = re.findall(
                r"""(?:src|href)=["']([^"'#?]+)|url\(["']?([^"')]+)|import ["']([^"']+)""", text
            )
            asked = {next(filter(None, one)) for one in named}
            assert any("fast" in one for one in asked)  # of the template
            assert not [one for one in asked if re.match("(https?:)?//", one)]  # all comes from this machine
            assert get(f"{page}static/js/bokeh.min.js")[0] == 200
        finally:
            process.terminate()
