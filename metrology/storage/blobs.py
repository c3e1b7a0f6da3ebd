"""Content-addressed files beside the database: transcripts, artifacts, item files.

A blob is named by the SHA-256 of its bytes, so the same content is kept once and damage shows. Files are written
under a temporary name and renamed, so a reader never meets half a blob.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from metrology.errors import InputError, NotFoundError, StorageError
from metrology.identity import PREFIX, bytes_digest

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PACKED = ".gz"
_LEVEL = 3
_BLOCK = 1 << 20


class BlobStore:
    """A folder of blobs. It is created with the first blob; reading from a missing folder finds nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def put(self, content: bytes | IO[bytes], *, compress: bool = True) -> str:
        """Store bytes or a binary stream and return ``sha256:...`` of the content, compressed on disk or not.

        Raises:
            StorageError: when the folder cannot be written; nothing is left behind.
        """
        if isinstance(content, bytes):
            digest = bytes_digest(content)
            if self.contains(digest):
                return digest
            content = io.BytesIO(content)
        try:
            return self._write(content, compress)
        except OSError as error:
            raise StorageError(
                f"the blob folder {self.root} cannot be written: {error.strerror}",
                hint="check its rights and the free space, or set METROLOGY_BLOBS",
            ) from error

    def get(self, digest: str) -> bytes:
        """Return the bytes of a blob, checked against the digest.

        Raises:
            NotFoundError: when there is no such blob.
            StorageError: when the file is damaged.
        """
        try:
            with self.open(digest) as stream:
                content = stream.read()
        except (EOFError, gzip.BadGzipFile, OSError) as error:
            raise StorageError(f"the blob {digest} cannot be read: {error}", hint=_DAMAGED) from error
        if bytes_digest(content) != digest:
            raise StorageError(f"the blob {digest} is damaged", hint=_DAMAGED)
        return content

    @contextmanager
    def open(self, digest: str) -> Iterator[IO[bytes]]:
        """Yield a stream over the bytes of a blob, which are not checked against the digest.

        Raises:
            NotFoundError: when there is no such blob.
        """
        path = self._find(digest)
        if path is None:
            raise NotFoundError(f"the blob {digest} is not in {self.root}", hint="set METROLOGY_BLOBS to its folder")
        if path.suffix == _PACKED:
            with gzip.open(path, "rb") as stream:
                yield cast(IO[bytes], stream)
        else:
            with path.open("rb") as plain:
                yield plain

    def contains(self, digest: str) -> bool:
        """Return whether the blob is there."""
        return self._find(digest) is not None

    def _find(self, digest: str) -> Path | None:
        place = self._place(digest)
        return next((path for path in (place.with_suffix(_PACKED), place) if path.is_file()), None)

    def _place(self, digest: str) -> Path:
        if _DIGEST.fullmatch(digest) is None:
            raise InputError(f"{digest!r} is no digest", hint="a digest is sha256: and 64 hexadecimal digits")
        hexadecimal = digest.removeprefix(PREFIX)
        return self.root / hexadecimal[:2] / hexadecimal[2:]

    def _write(self, content: IO[bytes], compress: bool) -> str:
        self.root.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=self.root, prefix="incoming-")
        temporary = Path(name)
        try:
            hasher = hashlib.sha256()
            with os.fdopen(handle, "wb") as raw:
                if compress:
                    # No name and no time in the header: the same content gives the same file.
                    with gzip.GzipFile("", "wb", _LEVEL, raw, mtime=0) as packed:
                        _copy(content, packed, hasher)
                else:
                    _copy(content, raw, hasher)
            digest = PREFIX + hasher.hexdigest()
            if not self.contains(digest):
                place = self._place(digest)
                place.parent.mkdir(exist_ok=True)
                temporary.replace(place.with_suffix(_PACKED) if compress else place)
            return digest
        finally:
            temporary.unlink(missing_ok=True)

    def copy_to(self, digest: str, target: Path) -> None:
        """Write the bytes of a blob to the file ``target``.

        Raises:
            NotFoundError: when there is no such blob.
        """
        with self.open(digest) as stream, target.open("wb") as file:
            shutil.copyfileobj(stream, file, _BLOCK)


_DAMAGED = "restore the blob folder from a backup"


def _copy(source: IO[bytes], target: IO[bytes] | gzip.GzipFile, hasher: hashlib._Hash) -> None:
    while block := source.read(_BLOCK):
        hasher.update(block)
        target.write(block)
