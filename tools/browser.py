"""Find a browser for the tests, or install one: ``python tools/browser.py``, or ``make browser``.

In this order: the one named in CHROMIUM; one of this machine; one that playwright installed
earlier; one that playwright downloads; as root on Debian or Ubuntu, the package.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Error, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
STAMP = ROOT / ".venv" / "browser"
LOG = ROOT / "_build" / "browser.log"
OWN = "playwright"  # in place of a path: the headless shell that playwright itself installed
# For the address bar of each window the browser loads two pages of its own, four tenths of what an
# empty window costs. The list takes the place of playwright's, whose part that matters is repeated.
WITHOUT = (
    *("WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup", "AimEnabled"),
    *("HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter"),
    *("OptimizationHints", "NetworkTimeServiceQuerying", "PreconnectToSearch", "PaintHolding"),
    *("ThirdPartyStoragePartitioning", "DestroyProfileOnBrowserClose"),
)
ARGUMENTS = (
    *("--no-sandbox", "--disable-background-networking", "--disable-component-update"),
    f"--disable-features={','.join(WITHOUT)}",
)

# What readers have comes first, although a shell takes a sixth less of the processor.
PROGRAMS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("msedge", "microsoft-edge", "microsoft-edge-stable", "brave", "brave-browser"),
    *("chromium-headless-shell", "chrome-headless-shell", "headless_shell"),
)
MAC_FOLDERS = (Path("/Applications"), Path.home() / "Applications")
MAC_NAMES = ("Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser")
WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
WINDOWS_NAMES = (
    "Google/Chrome/Application/chrome.exe",
    "Chromium/Application/chrome.exe",
    "Microsoft/Edge/Application/msedge.exe",
    "BraveSoftware/Brave-Browser/Application/brave.exe",
)

NONE = (
    "No browser was found for the tests. Install Chromium, Chrome, Edge or Brave "
    "(for instance: apt-get install chromium), or name one in CHROMIUM."
)


class NoBrowser(Exception):
    """No browser starts; the message says in one line what to do."""


def places() -> Iterator[Path]:
    """Yield where macOS and Windows keep browsers."""
    for folder in MAC_FOLDERS:
        for name in MAC_NAMES:
            yield folder / f"{name}.app" / "Contents" / "MacOS" / name
    for variable in WINDOWS_FOLDERS:
        for name in WINDOWS_NAMES:
            if variable in os.environ:
                yield Path(os.environ[variable]) / name


def candidates(downloaded: str) -> list[str]:
    """List the browsers of this machine, best first; ``downloaded`` is where playwright's goes."""
    named = os.environ.get("CHROMIUM")
    if named:
        return [shutil.which(named) or named]
    found = STAMP.read_text(encoding="utf-8").strip() if STAMP.is_file() else ""
    known = [found] if found == OWN or Path(found).is_file() else []
    on_path = filter(None, map(shutil.which, PROGRAMS))
    there = [str(path) for path in (*places(), downloaded) if Path(path).is_file()]
    return list(dict.fromkeys([*known, *on_path, *there, OWN]))


def try_out(browser: Browser) -> None:
    """Open a file; a browser that is shut off from files, as Ubuntu's snap, is of no use."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "page.html")
        file.write_text("<!doctype html><title>page</title>", encoding="utf-8")
        page = browser.new_page()
        page.goto(file.as_uri())
        page.close()


def start(playwright: Playwright) -> tuple[str, Browser]:
    """Start the first browser that works, and say which it is."""
    failures = {}
    for path in candidates(playwright.chromium.executable_path):
        try:
            browser = playwright.chromium.launch(
                executable_path=None if path == OWN else path, args=ARGUMENTS, timeout=60_000
            )
            try_out(browser)
        except Error as error:
            failures[path] = error.message
        else:
            return path, browser
    raise NoBrowser(advice(failures))


def advice(failures: dict[str, str]) -> str:
    """Say in one line what to do about browsers that did not start."""
    named = os.environ.get("CHROMIUM")
    for path, message in failures.items():
        if "missing dependencies" in message or "shared libraries" in message:
            return (
                f"The browser for the tests ({path}) lacks libraries of the system. "
                f"Install them, as root: {sys.executable} -m playwright install-deps chromium"
            )
    if named:
        return f"CHROMIUM = {named!r}: must be a Chromium, Chrome, Edge or Brave that starts."
    broken = [path for path in failures if path != OWN]
    return NONE + (f" These do not start: {', '.join(broken)}." if broken else "")


def find() -> str:
    """Return where a browser is that starts; :class:`NoBrowser` if there is none."""
    with sync_playwright() as playwright:
        path, browser = start(playwright)
        browser.close()
        return path


def run(command: list[str]) -> bool:
    """Run a command in silence, and say whether it worked."""
    LOG.parent.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "DEBIAN_FRONTEND": "noninteractive",
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000",
    }
    with LOG.open("a", encoding="utf-8") as stream:
        quiet = {"stdin": subprocess.DEVNULL, "stdout": stream, "stderr": stream}
        return not subprocess.run(command, env=environment, check=False, **quiet).returncode


def ways() -> Iterator[tuple[str, list[list[str]]]]:
    """Yield the ways to install a browser on this machine: what it is, and its commands."""
    playwright = [sys.executable, "-m", "playwright"]
    yield "Downloading a browser", [[*playwright, "install", "--only-shell", "chromium"]]
    if shutil.which("apt-get") and getattr(os, "geteuid", lambda: 1)() == 0:
        options = ["-y", "-qq", "--no-install-recommends"]
        package = ["apt-get", "install", *options, "chromium"]
        yield "Installing the package chromium", [["apt-get", "update", "-qq"], package]
        # Ubuntu has no such package; there the downloaded browser gets its libraries.
        yield "Installing the browser's libraries", [[*playwright, "install-deps", "chromium"]]


def set_up() -> str:
    """Return where a browser is that works, installed now if need be."""
    try:
        return find()
    except NoBrowser as none:
        if os.environ.get("CHROMIUM"):
            raise
        line = none
    for way, commands in ways():
        if "libraries" in way and "libraries" not in str(line):
            continue
        print(f"{way} for the tests. Log: {LOG.relative_to(ROOT)}", flush=True)
        worked = [run(command) for command in commands]
        if worked[-1]:  # an apt-get update that fails in part may do
            try:
                return find()
            except NoBrowser as none:
                line = none
    raise line


def main() -> None:
    """Set up a browser and remember where it is, or say in one line what to do."""
    LOG.unlink(missing_ok=True)
    try:
        path = set_up()
    except NoBrowser as none:
        STAMP.unlink(missing_ok=True)
        sys.exit(str(none))
    except KeyboardInterrupt:
        sys.exit("The set-up of the browser was interrupted; run it again.")
    if STAMP.parent.is_dir():
        STAMP.write_text(f"{path}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
