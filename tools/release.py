"""What a release needs besides its build: ``python tools/release.py check v1.2.3`` and more.

``check`` compares the tag with every place that tells a version; ``addresses`` writes the
repository's address into what is about to be built, and into nothing that is committed;
``bundle`` puts the notes, the zipped book and its PDF into one folder.
"""

import argparse
import re
import shutil
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("_build", "release")
PDF = Path("_build", "html", "pdf", "mipbook.pdf")


class Refused(Exception):
    """Why there is no release."""


def read(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def notes(root: Path, version: str) -> str:
    """Return what the changelog says of a version."""
    parts = re.split(r"^## ", read(root, "CHANGELOG.md"), flags=re.M)[1:]
    for part in parts:
        head, _, text = part.partition("\n")
        if head.split()[0].strip("[]") == version:
            if text.strip():
                return text.strip() + "\n"
            raise Refused(f"CHANGELOG.md says nothing of {version}")
    raise Refused(f"CHANGELOG.md has no part '## {version}'")


def check(root: Path, tag: str) -> str:
    """Return the version of a tag, if every place tells the same; else say which does not."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+((a|b|rc)\d+)?", tag):
        raise Refused(f"tag = {tag!r}: must be like v1.2.3 or v1.2.3rc1")
    version = tag[1:]
    project = tomllib.loads(read(root, "pyproject.toml"))["project"]["version"]
    cited = re.search(r"^version: *(\S+)$", read(root, "CITATION.cff"), flags=re.M)
    told = {"pyproject.toml": project, "CITATION.cff": cited[1].strip("'\"") if cited else None}
    for name, found in told.items():
        if found != version:
            raise Refused(f"the tag says {version}, {name} says {found}")
    notes(root, version)
    return version


def addresses(root: Path, url: str) -> None:
    """Write the repository's address where the package's page on PyPI will show it."""
    if not re.fullmatch(r"https://[\w.-]+/[\w.-]+/[\w.-]+", url):
        raise Refused(f"address = {url!r}: must be like https://github.com/owner/mipbook")
    text = read(root, "pyproject.toml")
    if "[project.urls]" in text:
        raise Refused("pyproject.toml has addresses already")
    urls = f'[project.urls]\nSource = "{url}"\nChangelog = "{url}/blob/HEAD/CHANGELOG.md"\n\n'
    text = text.replace("[project.optional-dependencies]", f"{urls}[project.optional-dependencies]")
    (root / "pyproject.toml").write_text(text, encoding="utf-8")
    # PyPI shows the README, but has none of the files that it names.
    readme = re.sub(r"(!\[[^\]]*\]\()(?!https:)", rf"\g<1>{url}/raw/HEAD/", read(root, "README.md"))
    readme = re.sub(r"(?<!!)(\[[^\]]*\]\()(?!https?:|#)", rf"\g<1>{url}/blob/HEAD/", readme)
    (root / "README.md").write_text(readme, encoding="utf-8")


def bundle(root: Path, tag: str) -> None:
    """Put what a release offers besides the package into one folder."""
    version = check(root, tag)
    html, folder = root / "_build" / "html", root / FOLDER
    for path in (html / "index.html", root / PDF):
        if not path.is_file():
            raise Refused(f"{path.relative_to(root).as_posix()} is missing: build and print first")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "notes.md").write_text(notes(root, version), encoding="utf-8")
    shutil.copy(root / PDF, folder / f"mipbook-{version}.pdf")
    shutil.make_archive(str(folder / f"mipbook-book-{version}"), "zip", html)


def main(arguments: Sequence[str] | None = None) -> None:
    """Do one of the steps; leave with one line if it cannot be done."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    for name, what in (("check", "tag"), ("notes", "tag"), ("bundle", "tag"), ("addresses", "url")):
        steps.add_parser(name).add_argument(what)
    told = vars(parser.parse_args(arguments))
    try:
        if told["step"] == "addresses":
            addresses(ROOT, told["url"].rstrip("/"))
        elif told["step"] == "bundle":
            bundle(ROOT, told["tag"])
        elif told["step"] == "notes":
            print(notes(ROOT, told["tag"].removeprefix("v")), end="")
        else:
            print(check(ROOT, told["tag"]))
    except Refused as why:
        sys.exit(f"No release: {why}.")


if __name__ == "__main__":
    main()
