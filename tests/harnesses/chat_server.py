"""A chat endpoint on loopback whose replies a test decides."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class ChatServer:
    """What the server answers (in turn; the last one again and again) and what it was asked."""

    replies: list[tuple[int, bytes]]
    delay: float = 0.0
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


def said(content: object, *, finish: str = "stop", model: str = "served-1", **more: Any) -> tuple[int, bytes]:
    """One ordinary reply."""
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}
    return 200, json.dumps({"model": model, "choices": [choice], "usage": usage, **more}).encode()


@contextmanager
def chat_server(*replies: tuple[int, bytes], delay: float = 0.0) -> Iterator[ChatServer]:
    """Yield a running server; its address has no path."""
    server = ChatServer(list(replies), delay)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments: object) -> None:
            return

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.requests.append({"path": self.path, **body})
            server.headers.append(dict(self.headers))
            time.sleep(server.delay)
            status, data = server.replies[min(len(server.requests), len(server.replies)) - 1]
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listener.daemon_threads = True
    thread = threading.Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    server.address = f"http://127.0.0.1:{listener.server_address[1]}"
    try:
        yield server
    finally:
        listener.shutdown()
        listener.server_close()
        thread.join()
