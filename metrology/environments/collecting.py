"""Collects declared artifacts from a folder that an agent could write anything into.

Nothing is executed and no name is trusted: only regular files cross, links only when what they resolve to lies
inside the same artifact, and caps are checked before the bytes are read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from metrology.environments.base import Collected, CollectLimits


@dataclass
class _Basket:
    limits: CollectLimits
    files: dict[str, bytes] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    total: int = 0

    def refuse(self, path: str, reason: str) -> None:
        self.refused.append(f"{path.encode('utf-8', 'backslashreplace').decode()}: {reason}")

    def over(self, path: str, size: int) -> str:
        """The cap that taking one more file would break, in words, or nothing."""
        if len(self.files) >= self.limits.files:
            return f"more than {self.limits.files} files"
        if self.total + size > self.limits.total_bytes:
            return f"more than {self.limits.total_bytes} bytes"
        if len(os.fsencode(path)) > self.limits.path_bytes:
            return f"a path longer than {self.limits.path_bytes} bytes"
        return ""


class _Stop(Exception):  # noqa: N818 - ends a walk, nothing is wrong
    """A cap was reached."""


def collect_folder(root: str, paths: Sequence[str], limits: CollectLimits) -> Collected:
    """Return the artifacts at the declared relative paths below ``root``; overlapping declarations are legal."""
    basket = _Basket(limits)
    inside = os.path.realpath(root)
    try:
        for path in paths:
            _collect(basket, inside, path)
    except _Stop:
        pass
    return Collected(basket.files, tuple(basket.refused))


def _collect(basket: _Basket, root: str, path: str) -> None:
    top = os.path.join(root, path)  # noqa: PTH118 - names need not be UTF-8 and are compared as text
    if not os.path.lexists(top):
        return
    # A declared path that is itself a link, or lies behind one, could show any file of the host.
    if os.path.realpath(top) != top:
        basket.refuse(path, "is or lies behind a link")
        return
    if not stat.S_ISDIR(os.lstat(top).st_mode):
        _take(basket, top, path, top)
        return
    for place, name in _walk(basket, top, path):
        _take(basket, place, name, top)


def _walk(basket: _Basket, top: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield (host path, artifact path) of everything that is not a folder; iterative, since depth is the agent's."""
    folders = [(top, path, 1)]
    while folders:
        folder, name, depth = folders.pop()
        if depth > basket.limits.depth:
            basket.refuse(name, f"deeper than {basket.limits.depth} folders; collecting stopped")
            raise _Stop
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            basket.refuse(name, f"cannot be listed: {error.strerror}")
            continue
        for entry in listed:
            place, inner = f"{folder}/{entry.name}", f"{name}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                folders.append((place, inner, depth + 1))
            else:
                yield place, inner


def _take(basket: _Basket, place: str, name: str, top: str) -> None:
    if name in basket.files:
        return
    target = os.path.realpath(place)
    if target != place and not target.startswith(f"{top}/"):
        basket.refuse(name, "is a link that leads out")
        return
    try:
        # Without blocking: a FIFO would wait for a writer for ever.
        descriptor = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        basket.refuse(name, f"cannot be read: {error.strerror}")
        return
    with os.fdopen(descriptor, "rb") as stream:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            basket.refuse(name, "is no regular file")
            return
        if reason := basket.over(name, facts.st_size):
            basket.refuse(name, f"{reason}; collecting stopped")
            raise _Stop
        data = stream.read(facts.st_size)
    basket.files[name] = data
    basket.total += len(data)
