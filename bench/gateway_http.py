# How much memory of the host a session over HTTP takes: a thousand of them, each initialized, and each with its stream of events held open.
import socket, time

from gateway_stage import Stage, verdict

SESSIONS, BAR = 1000, 30
INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
LIST = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}'


class Connection:
    def __init__(self, port):
        self.socket, self.port, self.unread = socket.create_connection(("127.0.0.1", port), 20), port, b""

    def send(self, method, body=b"", session=None, path="/mcp"):
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAccept: " + ("text/event-stream" if method == "GET" else "application/json, text/event-stream")
        head += (f"\r\nMcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-06-18" if session else "") + (f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}" if method == "POST" else "")
        self.socket.sendall(head.encode() + b"\r\n\r\n" + body)

    def head(self):
        """(status, fields); what follows stays unread."""
        while b"\r\n\r\n" not in self.unread:
            self.more()
        head, self.unread = self.unread.split(b"\r\n\r\n", 1)
        lines = head.decode().split("\r\n")
        return int(lines[0].split()[1]), {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}

    def more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise EOFError("the connection ended")
        self.unread += piece

    def ask(self, body, session=None):
        """(status, fields, body) of an answer with a length."""
        self.send("POST", body, session)
        status, fields = self.head()
        length = int(fields.get("content-length", 0))
        while len(self.unread) < length:
            self.more()
        body, self.unread = self.unread[:length], self.unread[length:]
        return status, fields, body

    def close(self):
        self.socket.close()


def begin_session(connection):
    status, fields, body = connection.ask(INITIALIZE)
    if status != 200 or "mcp-session-id" not in fields:
        raise RuntimeError(f"initialize: {status} {body[:300]}")
    session = fields["mcp-session-id"]
    connection.ask(INITIALIZED, session)
    status, _, body = connection.ask(LIST, session)
    if status != 200 or b"echo__echo" not in body:
        raise RuntimeError(f"tools/list: {status} {body[:300]}")
    return session


def measure(programs, out):
    stage, streams = Stage(programs), []
    try:
        port = int(stage.serve_http().split(":")[2].split("/")[0])
        asking = Connection(port)
        begin_session(asking)  # what is made at the first is nobody's
        before = stage.host.rss_kib()
        sessions = [begin_session(asking) for _ in range(SESSIONS)]
        time.sleep(1)
        alone = (stage.host.rss_kib() - before) / SESSIONS
        for session in sessions:
            streams.append(Connection(port))
            streams[-1].send("GET", session=session)
            status, fields = streams[-1].head()
            if status != 200 or fields.get("content-type") != "text/event-stream":
                raise RuntimeError(f"GET: {status} {fields}")
        time.sleep(1)
        rss = stage.host.rss_kib()
        each = (rss - before) / SESSIONS
        alive = sum(asking.ask(b'{"jsonrpc":"2.0","id":3,"method":"ping"}', session)[0] == 200 for session in sessions)
        result = {"sessions": alive, "kib_each_without_stream": round(alone, 1), "kib_each": round(each, 1), "host_mib_before": round(before / 1024, 1), "host_mib": round(rss / 1024, 1)}
    finally:
        for stream in streams:
            stream.close()
        stage.remove()
    print(f"{f'{alive} sessions over HTTP, memory of the host':<66} {'KiB each':>9}", file=out)
    print(f"{'  initialized, tools listed, no stream':<66} {alone:9.1f}", file=out)
    print(f"{'  each with its stream held open':<66} {each:9.1f}          < {BAR}: {verdict(each < BAR and alive == SESSIONS)} ({before / 1024:.1f} to {rss / 1024:.1f} MiB)", file=out)
    return result
