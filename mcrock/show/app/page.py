"""The page of `mcrock app`: its four parts, of which one is shown at a time, and how it is served.

It opens for who has brought the token that the command printed, and under known names of the host.
"""

from __future__ import annotations

import ipaddress
import logging
import secrets
import socket
import warnings
import webbrowser
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import panel as pn
from bokeh.settings import settings
from panel.theme.fast import Fast
from tornado.httputil import HTTPServerRequest
from tornado.routing import Matcher, Rule
from tornado.web import RequestHandler

from mcrock.show import collection
from mcrock.show.app.parts import (
    PAGE,
    WIDE,
    TabPanel,
    Tabs,
    cards_as_html,
    html,
    object_as_html,
    paragraph,
    refused,
)
from mcrock.show.app.results import Collected, Decision, Result, answer_cards, understand
from mcrock.show.app.study import Description, Desk, LiveRun
from mcrock.show.report.results import KeyFigure
from mcrock.show.text import missing_chunks
from mcrock.study import Study

OF_ALL = "Collection"
PARTS = ("Describe", "Shake", "Understand", "Decide")
OF_RESULT = PARTS[2:]
LOOK = 500  # between two looks at the run of the page [ms]
NOTHING = "Nothing has been run yet: Shake runs the study, and its result is shown here."
FONT = '"Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif'
NO_OBJECT = "The object is drawn here with its numbers, once one is described or opened."
NO_STUDY = "Describe the study first; what it lacks is said there."


class Page:
    """The page of one browser: the study that is described there, and what it shares with the others."""

    def __init__(self, theme: str, desk: Desk) -> None:
        desk.renew()
        self.theme, self.desk, self.study, self.result = theme, desk, desk.study, desk.result
        self.head, self.cards, self.object = html(), html(), html()
        self.body = TabPanel(name="The part of the page that is chosen", **WIDE)
        self.parts: dict[str, Any] = {}
        self.drawings: dict[str, str] = {}  # of objects, by their study
        self.live: LiveRun | None = None
        first = "Shake" if desk.run else "Understand" if self.result else "Describe"
        there = [*([OF_ALL] if desk.collection else []), *PARTS]
        first = there[0] if desk.collection else first
        self.choice = Tabs(label="Part of the page", options=there, value=first, **WIDE)
        self.choice.param.watch(lambda _: self._show(), "value")
        self._show()
        pn.state.add_periodic_callback(self._look, period=LOOK)

    def view(self) -> pn.template.FastListTemplate:
        """All of it; a browser that asks for the other theme begins anew."""
        other = "default" if self.theme == "dark" else "dark"
        words = "Light theme" if self.theme == "dark" else "Dark theme"
        return pn.template.FastListTemplate(
            title="mcrock",
            sidebar=[self.object],
            header=[html(f'<a class="theme" href="?theme={other}">{words}</a>', sizing_mode=None)],
            main=[pn.Column(self.head, self.choice, self.cards, self.body, **WIDE)],
            main_layout=None,
            theme_toggle=False,
            sidebar_width=290,
            font=FONT,
            meta_viewport="width=device-width, initial-scale=1",
            raw_css=[PAGE],
        )

    def _name(self) -> None:
        """Say of which study, of which object and of which store is what the part shows."""
        study, store, lines, figures = self.study, "", list[str](), list[KeyFigure]()
        if self.result and self.choice.value in OF_RESULT:
            study, figures = self.result.study, answer_cards(self.result)
            store, lines = f"{self.result.store}, read only. ", missing_chunks(self.result.ds)
        missing = "".join(map(paragraph, lines))
        if self.desk.collection and self.choice.value == OF_ALL:
            study, figures = None, collection.key_figures(self.desk.collection)
            store = f"{self.desk.collection.results.path}, read only. "
        heading = escape((study.title if study else "") or self.desk.title)
        self.head.object = f'<h1>{heading}</h1>{missing}<p class="dim">{escape(store)}</p>'
        self.cards.object = cards_as_html(figures) if figures else ""
        self.object.object = self._drawing(study) if study else paragraph(NO_OBJECT)

    def _drawing(self, study: Study) -> str:
        """The object of a study, drawn once."""
        key = study.to_json()
        if key not in self.drawings:
            self.drawings = {**self.drawings, key: object_as_html(study)}
        return self.drawings[key]

    def _show(self) -> None:
        """Show the part that is chosen, and make it if it is new."""
        name = self.choice.value
        if name not in self.parts:
            try:
                self.parts[name] = self._make(name)
            except Exception as error:  # as of a store that has been replaced
                self.parts[name] = html(refused(error))
        self._name()
        self.body.objects = [self.parts[name]]

    def _make(self, name: str) -> Any:
        if name == OF_ALL and self.desk.collection:
            return Collected(self.desk.collection, self.desk.folder, self._opened).view()
        if name == "Describe":
            return Description(self.desk, self._described).view()
        if name == "Shake":
            self.live = LiveRun(self.study, self.desk) if self.study else None
            return self.live.view() if self.live else html(paragraph(NO_STUDY))
        if self.result is None:
            return html(paragraph(NOTHING))
        if name == "Decide":
            return Decision(self.result, self.desk.uploads, self._name, self._opened).view()
        return understand(self.result, self.theme)

    def _opened(self, result: Result) -> None:
        """Show an object of the collection."""
        self.desk.run, self.desk.result, self.result, self.study = None, result, result, result.study
        for name in PARTS:
            self.parts.pop(name, None)
        self.choice.value = "Understand"

    def _described(self, study: Study, drawing: str) -> None:
        if self.study is None or study.to_json() != self.study.to_json():
            self.study, self.drawings[study.to_json()] = study, drawing
            self.parts.pop("Shake", None)
            self._name()

    def _look(self) -> None:
        """Show what became of the run, of whichever tab it is."""
        if self.live:
            self.live.look()
        if (found := self.desk.latest()) is not self.result:
            self.result = found
            for name in OF_RESULT:
                self.parts.pop(name, None)
            if self.choice.value in OF_RESULT:
                self._show()


COOKIE = "mcrock"
NO_TOKEN = (
    "This page opens with the whole address that `mcrock app` printed last, which ends in ?token=... and "
    "opens it once; by another name than localhost, with --allow-host NAME."
)
LOST = (
    "The connection is lost: mcrock app has ended, or cannot be reached. Stores keep what is done. Copy the "
    "study file from this page if you need it, start mcrock app again, and open its new address."
)
FOLLOW = """<script>
const query = new URLSearchParams(location.search);
query.delete("token");
if (!["dark", "default"].includes(query.get("theme")))
  query.set("theme", matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "default");
location.replace("?" + query);
</script>"""


def is_local(address: str) -> bool:
    """Whether nobody else can reach an address.

    >>> [is_local(name) for name in ("localhost", "127.0.0.1", "::1")]
    [True, True, True]
    >>> [is_local(name) for name in ("0.0.0.0", "::", "192.168.0.4", "example.org")]
    [False, False, False, False]
    """
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class Door(Matcher):
    """Matches each request that gets nothing: by a name that is not known, of another page, or of who has
    not brought the token.

    The cookie has a path that nobody can guess, since browsers send it to all ports of a machine, those of
    other users too.

    Parameters
    ----------
    address : str
        Where the page listens.
    names : iterable of str
        By which browsers may reach it, besides that and those of the loopback.
    tell : callable
        Told the query with the next token once one has opened the page.
    """

    def __init__(self, address: str, names: Iterable[str], tell: Callable[[str], None]) -> None:
        self.address, self.names, self.tell = address, set(names), tell
        self.path, self.cookie, self.token = (secrets.token_urlsafe(24) for _ in range(3))

    def match(self, request: HTTPServerRequest) -> dict[str, Any] | None:
        """What the rule of a router asks: None for who may see the page."""
        given = request.cookies.get(COOKIE)
        known = given is not None and secrets.compare_digest(given.value.encode(), self.cookie.encode())
        fetched = request.headers.get("Sec-Fetch-Site", "none") in ("none", "same-origin")
        return None if known and fetched and self.knows(request) else {}

    def knows(self, request: HTTPServerRequest) -> bool:
        """Whether the name that is asked for is known, and who asks is a page of the same name and port, or
        of a name that was allowed: on other ports of the machine are pages of others."""
        host = host_of(f"//{request.host}")
        return (is_local(host) or host in {self.address, *self.names}) and all(
            origin.partition("://")[2] == request.host or host_of(origin) in self.names
            for origin in request.headers.get_list("Origin")
        )

    def opens(self, token: bytes) -> bool:
        """Whether a token is the one that was told last, which opens the page once."""
        if not secrets.compare_digest(token, self.token.encode()):
            return False
        self.token = secrets.token_urlsafe(24)
        self.tell(f"?token={self.token}")
        return True


def host_of(url: str) -> str:
    """Name of a machine, without its port; empty where there is none.

    >>> [host_of(url) for url in ("http://localhost:9999", "//[::1]:5006", "null", "//[:")]
    ['localhost', '::1', '', '']
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


class Outside(RequestHandler):
    """The answer to a request that the door matches: the cookie for the token, else a refusal."""

    def initialize(self, door: Door) -> None:
        """Know the door."""
        self.door = door

    def prepare(self) -> None:
        """Answer, by whatever method it came."""
        self.set_header("Cache-Control", "no-store")
        token = self.request.query_arguments.get("token", [b""])[0]
        if self.door.knows(self.request) and self.door.opens(token):
            path = f"/{self.door.path}"
            self.set_cookie(COOKIE, self.door.cookie, path=path, httponly=True, samesite="Strict")
            self.finish(FOLLOW)
        else:
            self.set_status(403)
            self.finish(html_of(NO_TOKEN))


def html_of(text: str) -> str:
    """A text as a page of its own."""
    return f"<!doctype html><title>mcrock</title><p>{escape(text)}</p>"


def open_in_browser(link: str, folder: str) -> None:
    """Open a link with a token through a file for its owner alone: all can read a browser's arguments."""
    file = Path(folder) / "open.html"
    file.touch(mode=0o600)
    file.write_text(f'<meta http-equiv="refresh" content="0; url={escape(link)}">', encoding="utf-8")
    webbrowser.open(file.as_uri())


def serve(
    page: Callable[[str], Any],
    title: str,
    address: str,
    port: int,
    names: Iterable[str],
    say: Callable[[str], None],
) -> None:
    """Serve a page until the process is interrupted.

    Parameters
    ----------
    page : callable
        Makes the page of a visitor for a theme, ``dark`` or ``default``.
    title : str
        Of the page in the browser.
    address, port : str, int
        Where it listens; port 0 is any that is free.
    names : iterable of str
        By which browsers may reach it, besides those of the loopback and the address.
    say : callable
        Told the address of the page with its token, and the next one when that is used up.

    Raises
    ------
    ValueError
        If nothing can listen there.
    """
    told: dict[str, Any] = {"notifications": True, "disconnect_notification": LOST}
    pn.extension("filedropper", "tabulator", exception_handler=_tell_error, **told)
    settings.resources = "server"  # nothing comes from the network, whatever else goes on,
    Fast._resources.pop("font", None)  # nor the font that the template asks for

    def visited() -> Any:
        theme = pn.state.session_args.get("theme", [b""])[0].decode()
        if theme not in ("dark", "default"):
            return html(FOLLOW)
        try:
            return page(theme)
        except Exception as error:  # as of a store that is gone
            return html(refused(error))

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError as error:
        raise ValueError(
            f"nothing can listen at port {port} of {address} "
            f"({str(error.strerror).partition(' (while')[0]}): choose another with --port, or leave it out"
        ) from None
    # a page that is closed while something is sent to it, which bokeh says in the terminal, harms nobody
    for name in ("bokeh.server", "tornado.access"):
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.getLogger("asyncio").addFilter(lambda entry: "WebSocketClosedError" not in entry.getMessage())
    warnings.filterwarnings("ignore", "reference already known")  # that browser and page share an object
    door = Door(address, names, lambda query: say(f"{link}{query}"))
    # Bokeh's own list of origins has ports, and a tunnel has another one: the door compares Origin with Host
    where: dict[str, Any] = {"address": address, "port": port, "prefix": door.path, "websocket_origin": "*"}
    server = pn.serve(visited, show=False, start=False, verbose=False, title=title, **where)
    # before all others, of files and websockets too: Bokeh asks its own providers of users for pages alone
    server._tornado.default_router.rules.insert(0, Rule(door, Outside, {"door": door}))
    link = f"http://{f'[{address}]' if ':' in address else address}:{server.port}/{door.path}/"
    say(f"{link}?token={door.token}")
    server.start()
    server.io_loop.start()


def _tell_error(error: Exception) -> None:
    """Tell who looks at a page what went wrong in it."""
    pn.state.notifications.error(escape(str(error)), duration=0)
