from __future__ import annotations

import io
import os
import random
from pathlib import Path

import pytest

from metrology.errors import InputError, NotFoundError, StorageError
from metrology.identity import bytes_digest
from metrology.storage.blobs import BlobStore

TEXT = b"a long transcript " * 10_000


@pytest.mark.parametrize("compress", [True, False])
@pytest.mark.parametrize("content", [b"", b"x", TEXT, random.Random(1).randbytes(3_000_000)])
def test_a_blob_comes_back_under_the_digest_of_its_bytes(tmp_path: Path, content: bytes, compress: bool) -> None:
    blobs = BlobStore(tmp_path / "blobs")
    digest = blobs.put(content, compress=compress)
    assert digest == bytes_digest(content)
    assert blobs.put(io.BytesIO(content), compress=compress) == digest
    assert blobs.get(digest) == content
    with blobs.open(digest) as stream:
        assert stream.read() == content
    blobs.copy_to(digest, tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == content
    files = [path for path in blobs.root.rglob("*") if path.is_file()]
    assert len(files) == 1


def test_text_is_kept_small(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path)
    blobs.put(TEXT)
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < len(TEXT) / 50


def test_what_is_not_there_is_not_found_and_no_folder_appears(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path / "blobs")
    digest = bytes_digest(b"nothing")
    assert not blobs.contains(digest)
    with pytest.raises(NotFoundError, match="is not in"):
        blobs.get(digest)
    assert not blobs.root.exists()


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "sha256:../../../etc/passwd", "sha256:ABC", "", "sha256:" + "0" * 63]
)
def test_a_name_that_is_no_digest_reaches_no_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="no digest"):
        BlobStore(tmp_path).get(name)


def test_damage_shows(tmp_path: Path) -> None:
    blobs = BlobStore(tmp_path)
    plain, packed = blobs.put(b"one thing", compress=False), blobs.put(TEXT)
    for path in (one for one in tmp_path.rglob("*") if one.is_file()):
        path.write_bytes(path.read_bytes()[:-3])
    for digest in (plain, packed):
        with pytest.raises(StorageError, match=r"damaged|cannot be read"):
            blobs.get(digest)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 0:
                raise OSError(28, os.strerror(28))
            return super().read(size)

    with pytest.raises(StorageError, match="No space left"):
        BlobStore(tmp_path).put(Broken(bytes(2_000_000)))
    assert list(tmp_path.rglob("*")) == []
