"""Content identities: canonical JSON, its hash, and digests of files and folders.

An identity is ``sha256:<64 hex>``. Records are hashed over RFC 8785 canonical JSON, so that key order, white
space and the spelling of numbers do not count. Folders are hashed over sorted lines
``path NUL sha256 NEWLINE``, the formula that Harbor writes into its lock files.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rfc8785

from metrology.errors import InputError

PREFIX = "sha256:"
IGNORED_NAMES = frozenset({"__pycache__", ".DS_Store", ".git"})
IGNORED_SUFFIXES = (".pyc", ".swp", ".swo", "~")


def canonical_json(value: Any) -> bytes:
    """Return the RFC 8785 bytes of ``value``.

    Raises:
        InputError: for NaN, infinities, integers beyond 2**53 or values that are not JSON.
    """
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InputError(
            f"not expressible as canonical JSON: {error}",
            hint="use finite numbers, integers below 2**53, text, lists and tables only",
        ) from error


def content_hash(value: Any) -> str:
    """Return ``sha256:<hex>`` of the canonical JSON of ``value``."""
    return PREFIX + hashlib.sha256(canonical_json(value)).hexdigest()


def bytes_digest(data: bytes) -> str:
    """Return ``sha256:<hex>`` of raw bytes."""
    return PREFIX + hashlib.sha256(data).hexdigest()


def file_digest(path: Path) -> str:
    """Return ``sha256:<hex>`` of a file's bytes; reads in blocks."""
    with path.open("rb") as stream:
        return PREFIX + hashlib.file_digest(stream, "sha256").hexdigest()


def directory_files(root: Path) -> Iterator[Path]:
    """Yield the files that count below ``root``: no caches, editor droppings or version control.

    A link to a folder is yielded like a file and not followed, so that nobody overlooks it.
    """
    for folder, names, files in os.walk(root):
        linked = [name for name in names if (Path(folder) / name).is_symlink()]
        names[:] = sorted(name for name in names if name not in IGNORED_NAMES and name not in linked)
        for name in sorted([*files, *linked]):
            if name not in IGNORED_NAMES and not name.endswith(IGNORED_SUFFIXES):
                yield Path(folder) / name


def directory_digest(root: Path) -> str:
    """Return the digest of a folder: sha256 over sorted ``relpath NUL sha256hex NEWLINE`` lines.

    File times, modes and the order of the file system do not count. Links are refused, because what
    they point to may change without the folder changing.

    Raises:
        InputError: for a missing folder or a symbolic link inside it.
    """
    if not root.is_dir():
        raise InputError("no such folder", file=root)
    lines = []
    for path in directory_files(root):
        if path.is_symlink():
            raise InputError("a symbolic link has no content of its own", file=path, hint="copy the file instead")
        relative = path.relative_to(root).as_posix()
        lines.append((relative, file_digest(path).removeprefix(PREFIX)))
    digest = hashlib.sha256()
    for relative, hexadecimal in sorted(lines):
        digest.update(f"{relative}\0{hexadecimal}\n".encode("utf-8", "surrogateescape"))
    return PREFIX + digest.hexdigest()


def normalised_text(data: bytes) -> bytes:
    """Return text bytes with CRLF and CR line ends as LF; other bytes are untouched."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def short(identity: str) -> str:
    """Return the first 12 hex digits of an identity, for people's eyes only."""
    return identity.removeprefix(PREFIX)[:12]
