"""The page in a browser: on the loopback address, or elsewhere with a token in its address."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import secrets
import socket
import warnings
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import panel as pn
from bokeh.settings import settings

from mcrock.show.app.parts import PAGE, html, refused

LOCAL = "127.0.0.1"
NO_TOKEN = "this page opens only with the whole address that `mcrock app` printed, which ends in ?token=..."
LOST = (
    "The connection is lost: mcrock app has ended, or cannot be reached. Stores keep what is done. Copy the "
    "study file from this page if you need it, start mcrock app again, and open its new address."
)
FOLLOW = """<script>
const query = new URLSearchParams(location.search);
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


def serve(
    page: Callable[[str], Any], title: str, address: str, port: int, say: Callable[[str], None]
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
    say : callable
        Told the address of the page.

    Raises
    ------
    ValueError
        If nothing can listen there.
    """
    told: dict[str, Any] = {"notifications": True, "disconnect_notification": LOST}
    pn.extension("filedropper", raw_css=[PAGE], **told)
    settings.resources = "server"  # nothing comes from the network, whatever else goes on
    token = "" if is_local(address) else secrets.token_urlsafe(24)

    def visited() -> Any:
        given = pn.state.session_args.get("token", [b""])[0].decode("utf-8", "replace")
        if not hmac.compare_digest(given.encode(), token.encode()):
            return html(refused(NO_TOKEN))
        if "theme" not in pn.state.session_args:
            return html(FOLLOW)
        theme = "dark" if b"dark" in pn.state.session_args.get("theme", []) else "default"
        pn.config.theme = theme
        if theme == "dark":
            pn.state.curdoc.theme = "dark_minimal"  # of the figures
        return page(theme)

    options: dict[str, Any] = {"show": False, "start": False, "verbose": False, "title": title}
    if token:
        options["websocket_origin"] = "*"  # whoever has the token may come by any name of this machine
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        socket.create_server((address, port), family=family).close()
    except OSError as error:
        raise ValueError(
            f"nothing can listen at port {port} of {address} "
            f"({str(error.strerror).partition(' (while')[0]}): choose another with --port, or leave it out"
        ) from None
    # a page that is closed while something is sent to it, which bokeh says in the terminal, harms nobody
    logging.getLogger("bokeh.server").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", "reference already known")  # that browser and page share an object
    server = pn.serve(visited, address=address, port=port, **options)
    query = f"?token={quote(token)}" if token else ""
    say(f"http://{address}:{server.port}/{query}")
    server.start()
    server.io_loop.start()
