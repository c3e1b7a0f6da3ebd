"""Files of a benchmark: read once, line ends of declared text brought to LF, kept by digest."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from metrology.environments.paths import relative_path
from metrology.errors import InputError
from metrology.identity import bytes_digest, directory_files, normalised_text
from metrology.registry.reading import read_bytes


class FileReader:
    """Reads files below ``root``; ``text`` are the patterns of files whose line ends do not count."""

    def __init__(self, root: Path, text: Sequence[str]) -> None:
        self._root = root
        self._text = tuple(text)
        self.blobs: dict[str, bytes] = {}
        self.warnings: list[str] = []

    def content(self, path: Path) -> bytes:
        """Return a file's bytes as they count; a normalisation that changed them is noted as a warning.

        Raises:
            InputError: not readable, a link, or no regular file.
        """
        self._refuse_special(path)
        data = read_bytes(path)
        if self._is_text(path):
            plain = normalised_text(data)
            if plain != data:
                relative = path.relative_to(self._root).as_posix()
                self.warnings.append(
                    f"{relative}: bytes differ, text equal after newline normalisation (the file is declared as text, "
                    "its line ends count as LF)"
                )
            return plain
        return data

    def keep(self, data: bytes) -> str:
        """Keep bytes and return their digest."""
        digest = bytes_digest(data)
        self.blobs[digest] = data
        return digest

    def folder(self, folder: Path, *, leave_out: Sequence[str] = ()) -> Iterator[tuple[str, str] | InputError]:
        """Yield (relative path, digest) of each file in a folder, an error in the place of one that cannot be taken.

        A folder that is not there has no files.
        """
        if folder.is_symlink():
            yield InputError("is a symbolic link", file=folder, hint="copy the folder instead")
            return
        for path in directory_files(folder):
            relative = path.relative_to(folder).as_posix()
            if relative in leave_out:
                continue
            try:
                yield relative_path(relative), self.keep(self.content(path))
            except InputError as error:
                yield error if error.file else InputError(error.message, file=path, hint=error.hint)

    def _refuse_special(self, path: Path) -> None:
        try:
            mode = path.lstat().st_mode
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", file=path, hint="check the path") from error
        if stat.S_ISLNK(mode):
            raise InputError("is a symbolic link", file=path, hint="copy the file instead")
        if not stat.S_ISREG(mode):
            raise InputError("is no regular file", file=path, hint="remove it")

    def _is_text(self, path: Path) -> bool:
        relative = PurePosixPath(path.relative_to(self._root).as_posix())
        return any(relative.match(pattern) for pattern in self._text)
