"""Chromium without a window, driven by its DevTools protocol over a pipe: for pictures of the page and its tests."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from schemas.errors import StoreError

_FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
# The protocol is spoken over the descriptors 3 and 4.
_START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execvp(sys.argv[3], sys.argv[3:])"
)
_SECONDS = 60
"""How long to wait for an answer."""
_LOADED_ANEW = ("navigated or closed", "context was destroyed", "find context", "find default execution context")
"""How Chromium says that an expression went with its page."""
_KEYS = {"Enter": 13, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}


def find_chromium() -> str | None:
    """Chromium by the variable CHROME_BIN, or Debian's."""
    return os.environ.get("CHROME_BIN") or shutil.which("chromium")


class Browser:
    """One tab of a browser. `requests` has the addresses that its pages asked for, `problems` what they reported:
    exceptions, violations of their policy, and dialogs."""

    def __init__(self, chromium: str) -> None:
        self.requests: list[str] = []
        self.problems: list[str] = []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for pair in (os.pipe(), os.pipe()) for end in pair]
        theirs, ours, mine, other = ends
        profile = f"--user-data-dir={self._profile.name}"
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START, str(theirs), str(other), chromium, *_FLAGS, profile],
            pass_fds=(theirs, other),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        os.close(other)
        self._out, self._in = os.fdopen(ours, "wb", buffering=0), os.fdopen(mine, "rb")
        self._number, self._session = 0, ""
        self._waiting, self._loaded = b"", False
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()
        self._out.close()
        self._in.close()
        self._profile.cleanup()

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol and return its result.

        Raises
        ------
        StoreError
            If the browser refuses it or has ended.
        """
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._out.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise StoreError(f"the browser refuses {method}: {answer['error']['message']}")
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer)

    def resize(self, width: int, height: int, *, dark: bool = False, media: str = "") -> None:
        """Set the size of the window in pixels, the colour scheme, and the medium ("print")."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def open(self, address: str) -> None:
        """Open an address in the tab, and wait until the page has been run."""
        # A page that differs in its fragment only would not be loaded again.
        for place in ("about:blank", address):
            self._loaded = False
            self.send("Page.navigate", url=place)
            while not self._loaded:
                self._note(self._receive())
        # The page of `kgscripts explore` begins when its data is unpacked.
        self.wait_for("document.querySelector('script[type=\"application/deflate\"]') === null")

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression in the page, of a promise what it resolves to."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise StoreError(f"the page failed: {json.dumps(found['exceptionDetails'])[:500]}", where=expression[:200])
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression in the page is true; the page may be loaded anew meanwhile.

        Raises
        ------
        StoreError
            If the expression fails, or is not true in time.
        """
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end:
            try:
                if self.evaluate(f"!!({expression})"):
                    return
            except StoreError as error:
                if not any(words in str(error) for words in _LOADED_ANEW):
                    raise
            time.sleep(0.02)
        raise StoreError(f"the page has not come to this for {_SECONDS} seconds", where=expression[:200])

    def press(self, key: str) -> None:
        """Press and release a key: a character, or one of `_KEYS`."""
        code = _KEYS.get(key, ord(key[0]))
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r" if key == "Enter" else key} if kind == "keyDown" and key in ("Enter", "/") else {}
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def write(self, text: str) -> None:
        """Type text where the focus is."""
        self.send("Input.insertText", text=text)

    def picture(self, file: Path) -> None:
        """Write what the window shows to a PNG file."""
        taken = self.send("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(taken["data"]))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            if not select.select([self._in], [], [], _SECONDS)[0]:
                raise StoreError(f"the browser has not answered for {_SECONDS} seconds")
            more = os.read(self._in.fileno(), 1 << 20)
            if not more:
                raise StoreError("the browser has ended", remedy="set CHROME_BIN to a Chromium that runs here")
            self._waiting += more
        message, _, self._waiting = self._waiting.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        method, found = event.get("method"), event.get("params", {})
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(found["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.problems.append(str(details.get("exception", {}).get("description", details["text"])))
        elif method == "Log.entryAdded" and found["entry"]["level"] == "error":
            self.problems.append(found["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append(f"dialog: {found['message']}")
