# The hostile clients of gateway_hostile.py, a process each: gateway_hostiles.py KIND stdio PFAR | gateway_hostiles.py KIND http PORT. Each goes on until
# it is killed; one that is sent away comes again.
import json, os, random, socket, subprocess, sys, threading, time

from gateway_http import INITIALIZE, INITIALIZED, Connection, begin_session

BLOCK = 64


def request(number, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()


def call(number, tool="echo", arguments=None):
    return request(number, "tools/call", {"name": "echo__" + tool, "arguments": {"text": "hostile"} if arguments is None else arguments})


def deep(number, depth):
    nested = b'{"a":' * depth + b"1" + b"}" * depth
    return b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo__echo","arguments":%s}}' % (number, nested)


def flood():
    for number in range(1 << 62):
        yield call(number) if number % 2 else request(number, "ping", {})


def never():
    for number in range(1 << 62):
        yield call(number, "big", {})


def ids():
    while True:
        for number in range(100000):
            yield call(f"{number:0>200}")
            yield b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"%d"}}' % number


def nested():
    for number in range(1 << 62):
        yield deep(number, (60, 1000, 100000)[number % 3])


def wrong():
    for number in range(1 << 62):
        yield b'{"jsonrpc":"2.0","id":%d,"result":{}}' % number
        yield b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}' % number
        yield b'{"jsonrpc":"2.0","id":"x"' * (number % 2) + b"\x00\xff{"


def half():
    yield b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo__echo","arguments":{"text":"' + b"x" * (15 << 20)
    while True:  # and never the end of it
        time.sleep(0.05)
        yield b"x"


KINDS = {"flood": flood, "never": never, "ids": ids, "deep": nested, "wrong": wrong, "half": half}


def blocks(messages, count, end):
    while True:
        yield b"".join(next(messages) + end for _ in range(count))


def discard(read):
    try:
        while read(1 << 20):
            pass
    except (OSError, ValueError):
        pass


def over_stdio(kind, pfar):
    child = subprocess.Popen([pfar, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        child.stdin.write(INITIALIZE + b"\n" + INITIALIZED + b"\n")
        if kind != "never":
            threading.Thread(target=discard, args=(child.stdout.read1,), daemon=True).start()
        count, end = (1, b"") if kind == "half" else (BLOCK, b"\n")
        for block in blocks(KINDS[kind](), count, end):
            child.stdin.write(block)
            child.stdin.flush()
    finally:
        child.kill()
        child.wait()


def posts(connection, messages, session, count):
    """Requests in one piece, as a client that does not wait for answers sends them."""
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{connection.port}\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"
    for block in blocks(messages, 1, b""):
        text = (head + f"Mcp-Session-Id: {session}\r\nContent-Length: {len(block)}\r\n\r\n").encode() + block
        connection.socket.sendall(text * count)


def half_over_http(port):
    """As many connections as it gets, in the middle of a head or of a body."""
    held = []
    for number in range(200):
        one = socket.create_connection(("127.0.0.1", port), 5)
        body = b"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 10000000\r\n\r\n" + b'{"jsonrpc":"2.0",' * 1000
        one.sendall(b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % port + (body if number % 2 else b"X-Slow: "))
        held.append(one)
    while held:
        time.sleep(0.1)
        for one in list(held):
            try:
                one.sendall(b"x")
            except OSError:
                held.remove(one)


def over_http(kind, port):
    if kind == "half":
        return half_over_http(port)
    connection = Connection(port)
    try:
        session = os.urandom(16).hex() if kind == "wrong" else begin_session(connection)
        connection.socket.settimeout(None)
        if kind != "never":
            threading.Thread(target=discard, args=(connection.socket.recv,), daemon=True).start()
        posts(connection, flood() if kind == "wrong" else KINDS[kind](), session, 1 if kind == "deep" else 8)
    finally:
        connection.close()


def main(kind, transport, target):
    random.seed(os.getpid())
    while True:
        try:
            over_stdio(kind, target) if transport == "stdio" else over_http(kind, int(target))
        except (OSError, EOFError, RuntimeError, ValueError):
            pass
        time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:4])
