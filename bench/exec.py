# The driver of exec.sh: starts commands in turn and prints the medians, what a backend adds, and the ratio.
import json, os, statistics, subprocess, sys, time

pfar, rounds, server = sys.argv[1], int(sys.argv[2]), sys.argv[3]


def run_to_end(command):
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ)
    if os.waitpid(pid, 0)[1] != 0:
        sys.exit("failed: " + " ".join(command))
    return time.perf_counter() - start


def start_to_tools(command):
    start = time.perf_counter()
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def send(message):
        child.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        child.stdin.flush()

    def answer(number):
        for line in child.stdout:
            message = json.loads(line)
            if message.get("id") == number and "result" in message:
                return message["result"]
        sys.exit("no answer: " + " ".join(command))

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    send({"id": 1, "method": "initialize", "params": client})
    answer(1)
    send({"method": "notifications/initialized"})
    send({"id": 2, "method": "tools/list"})
    assert answer(2)["tools"]
    took = time.perf_counter() - start
    child.stdin.close()
    child.wait()
    return took


def measure(title, once, command):
    ways = {"bare": command}
    for backend in ("bwrap", "landlock"):
        ways[backend] = [pfar, "exec", "--backend", backend, "--"] + command
    times = {way: [] for way in ways}
    for way in ways.values():
        once(way)  # the caches are warm for all
    for _ in range(rounds):
        for way, words in ways.items():
            times[way].append(once(words))
    bare = statistics.median(times["bare"])
    print(f"{title + f', median of {rounds}, interleaved':<58} {'ms':>8} {'added':>8} {'ratio':>8}")
    for way in ways:
        middle = statistics.median(times[way])
        print(f"{'  ' + way:<58} {middle * 1e3:8.2f} {(middle - bare) * 1e3:8.2f} {middle / bare:8.3f}")


measure("/bin/true", run_to_end, ["/bin/true"])
if server:
    measure("server-everything, start to tools/list", start_to_tools, ["/usr/bin/node" if os.path.exists("/usr/bin/node") else "node", server, "stdio"])
