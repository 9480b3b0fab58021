"""The viewer's web server: loopback, GET only, a secret in every address, a strict policy."""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from agent.errors import AgentError, UsageError
from agent.report.view import queries
from agent.report.view.queries import Folder

_STATIC = Path(__file__).parent / "static"
_FILES = {
    "": ("index.html", "text/html"),
    "view.css": ("view.css", "text/css"),
    "view.js": ("view.js", "text/javascript"),
    "page.js": ("page.js", "text/javascript"),
}
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class NotFound(Exception):
    """The address names nothing."""


class Viewer:
    """A server over one folder of runs. `url` holds the secret; close it when done."""

    def __init__(self, root: Path, *, port: int = 0) -> None:
        if not root.is_dir():
            raise UsageError(f"{root}: no such folder")
        self.folder = Folder(root)
        self.token = secrets.token_urlsafe(24)
        handler = type("Handler", (_Handler,), {"viewer": self})
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        except OSError as error:
            raise UsageError(f"port {port}: {error.strerror}; choose another --port") from error
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}/{self.token}/"

    def serve(self) -> None:
        """Answers until `close` is called from another thread."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, query: dict[str, str]) -> Any:
        """The JSON value at an address below `api/`; NotFound for anything else."""
        if path == "runs":
            return queries.overview(self.folder)
        name = query.get("run", "")
        run = self.folder.path(name)
        if run is None:
            raise NotFound
        routes: dict[str, Callable[[], Any]] = {
            "grid": lambda: {"title": self.folder.title(name), **queries.grid(run)},
            "attempts": lambda: queries.attempts(run, query, _number(query, "after")),
            "attempt": lambda: queries.attempt(run, _number(query, "id")),
            "text": lambda: queries.full_text(
                run, *(_number(query, key) for key in ("id", "step", "text", "offset"))
            ),
        }
        if path not in routes:
            raise NotFound
        value = routes[path]()
        if value is None:
            raise NotFound
        return value


def _number(query: dict[str, str], key: str) -> int:
    text = query.get(key, "0")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise NotFound
    return int(text)


class _Handler(BaseHTTPRequestHandler):
    viewer: Viewer
    server_version = "agent"
    sys_version = ""
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        hosts = {f"{name}:{self.viewer.port}" for name in ("127.0.0.1", "localhost")}
        if self.headers.get("Host") not in hosts:  # another name that resolves to this machine
            self._send(HTTPStatus.FORBIDDEN, b"forbidden", "text/plain")
            return
        address = urlsplit(self.path)
        secret, _, path = address.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(unquote(secret).encode(), self.viewer.token.encode()):
            self._send(HTTPStatus.FORBIDDEN, b"forbidden", "text/plain")
            return
        if path in _FILES:
            name, kind = _FILES[path]
            self._send(HTTPStatus.OK, (_STATIC / name).read_bytes(), kind)
            return
        self._api(path, address.query)

    def _api(self, path: str, query: str) -> None:
        values = {key: found[-1] for key, found in parse_qs(query).items()}
        try:
            if not path.startswith("api/"):
                raise NotFound
            value = self.viewer.answer(path.removeprefix("api/"), values)
            status = HTTPStatus.OK
        except NotFound:
            status, value = HTTPStatus.NOT_FOUND, {"error": "there is nothing here"}
        except AgentError as error:
            status, value = HTTPStatus.CONFLICT, {"error": str(error)}
        body = json.dumps(value, ensure_ascii=True).encode()
        self._send(status, body, "application/json")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: addresses hold the secret."""
