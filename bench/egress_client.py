# The client of egress.sh as most servers are: an interpreter, blocking calls, a thread for each request under way. It obeys `setup N` and
# `concurrent N AT_ONCE` as pfar-bench-egress does, and takes the same arguments.
import json, socket, sys, threading, time

proxied, target = sys.argv[2] == "--proxy", sys.argv[-1]
host, port = sys.argv[3].split(":")
greeting = f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode()


def receive(connection, complete):
    answer = b""
    while not complete(answer):
        more = connection.recv(4096)
        if not more:
            raise ConnectionError("no answer")
        answer += more


def exchange(question, answer_bytes):
    with socket.create_connection((host, int(port))) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if proxied:
            connection.sendall(greeting)
            receive(connection, lambda answer: answer.endswith(b"\r\n\r\n"))
        connection.sendall(question)
        receive(connection, lambda answer: len(answer) == answer_bytes)


def setup(count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        exchange(b"e", 1)
        times.append((time.perf_counter() - start) * 1e6)
    return {"microseconds": times}


def concurrent(count, at_once):
    def work():
        for _ in range(count // at_once):
            exchange(b"r" * 100, 200)

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"requests": count, "seconds": time.perf_counter() - start}


for line in sys.stdin:
    order, *numbers = line.split()
    print(json.dumps({"setup": setup, "concurrent": concurrent}[order](*map(int, numbers))), flush=True)
