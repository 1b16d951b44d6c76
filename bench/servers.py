# The driver of servers.sh: rounds alternate, so that what the machine does meanwhile falls on both sides.
import argparse, collections, json, os, shutil, statistics, subprocess, sys, time

from host import Host, text

parser = argparse.ArgumentParser()
parser.add_argument("pfar"), parser.add_argument("fixture"), parser.add_argument("modules")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--json", action="store_true")
options = parser.parse_args()
out = sys.stderr if options.json else sys.stdout
numbers = {}
node = shutil.which("node")


def row(title, value, unit, note=""):
    numbers[title] = value
    print(f"{title:<66} {value:10.3f} {unit:<6} {note}", file=out)


def script(package):
    place = os.path.join(options.modules, package)
    with open(os.path.join(place, "package.json")) as file:
        entry = json.load(file)["bin"]
    return os.path.join(place, entry if isinstance(entry, str) else next(iter(entry.values())))


def five(host):
    os.makedirs(os.path.join(host.place, "files"), exist_ok=True)
    memory = "/state/memory.json"  # its HOME inside, kept between starts
    official = "@modelcontextprotocol/server-"
    host.server("everything", node, [script(official + "everything"), "stdio"])
    files = os.path.join(host.place, "files")
    host.server("filesystem", node, [script(official + "filesystem"), files], tables=f'[access]\nfs = [{{ path = "{files}", read = true }}]')
    host.server("memory", node, [script(official + "memory")], tables='[env]\nset = { MEMORY_FILE_PATH = "/state/memory.json" }')  # its HOME
    host.server("thinking", node, [script(official + "sequential-thinking")])
    host.server("context7", node, [script("@upstash/context7-mcp")], top='allowed_domains = ["context7.com"]')


def measure_five():
    host = Host(options.pfar)
    try:
        five(host)
        times = []
        for _ in range(options.rounds):
            start = time.monotonic()
            host.start()
            host.until_running(5)
            times.append(time.monotonic() - start)
            host.stop()
        row("five real servers from npm, start of the host to all running", statistics.median(times), "s", f"bar < 3, worst {max(times):.2f}")
        remembers(host)
    finally:
        host.remove()


def remembers(host):
    host.start()
    host.until_running(5)
    host.control.call("memory", "create_entities", entities=[{"name": "pfar", "entityType": "program", "observations": ["kept"]}])
    host.control.ask("restart", server="memory", wait=True)
    host.until_running(5)
    graph = text(host.control.call("memory", "read_graph"))
    row("server-memory remembers across a restart", float("kept" in graph), "", "1: yes")
    host.stop()


def bare_twenty(command):
    start = time.monotonic()
    children = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for _ in range(20)]
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    lines = [{"id": 1, "method": "initialize", "params": client}, {"method": "notifications/initialized"}, {"id": 2, "method": "tools/list"}]
    for child in children:  # all start now; the answers are read in turn
        child.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n" for line in lines))
        child.stdin.flush()
    for child in children:
        while json.loads(child.stdout.readline()).get("id") != 2:
            pass
    took = time.monotonic() - start
    for child in children:
        child.kill()
        child.wait()
        child.stdin.close(), child.stdout.close()
    return took


def measure_twenty():
    host = Host(options.pfar)
    command = [node, script("@modelcontextprotocol/server-everything"), "stdio"]
    try:
        for number in range(20):
            host.server(f"s{number}", command[0], command[1:])
        bare, ours = [], []
        for number in range(options.rounds + 1):  # the first warms the caches
            took = bare_twenty(command)
            start = time.monotonic()
            host.start()
            host.until_running(20)
            if number > 0:
                bare.append(took), ours.append(time.monotonic() - start)
            if number == options.rounds:
                time.sleep(2)
                rss, below = host.rss_kib(), collections.Counter(host.descendants())
            host.stop()
        row("20 Node servers, bare, in parallel", statistics.median(bare), "s")
        row("20 Node servers, by the host", statistics.median(ours), "s")
        ratios = [a / b for a, b in zip(ours, bare)]
        row("  ratio of the medians", statistics.median(ours) / statistics.median(bare), "x", f"bar <= 1.10; rounds {min(ratios):.2f} to {max(ratios):.2f}")
        row("  the host's RSS with 20", rss / 1024, "MiB", "bar <= 25")
        row("  processes below it, per server", sum(below.values()) / 20, "", dict(below))
    finally:
        host.remove()


def calls(host, server, tool, count, pause):
    times = []
    for number in range(count):
        time.sleep(pause)
        start = time.perf_counter()
        answer = text(host.control.call(server, tool, text=str(number), message=str(number)))
        times.append(time.perf_counter() - start)
        assert str(number) in answer, answer
    return times


def bare_calls(command, tool, pause):
    """A process of its own for each round: its first call, and the third."""
    first, later = [], []
    for _ in range(options.rounds * 2):
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        def ask(number, method, params):
            start = time.perf_counter()
            child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
            child.stdin.flush()
            while json.loads(child.stdout.readline()).get("id") != number:
                pass
            return time.perf_counter() - start

        ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        child.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        times = []
        for number in (2, 3, 4):
            time.sleep(pause)
            times.append(ask(number, "tools/call", {"name": tool, "arguments": {"text": "x", "message": "x"}}))
        first.append(times[0]), later.append(times[2])
        child.kill(), child.wait()
        child.stdin.close(), child.stdout.close()
    return statistics.median(first) / statistics.median(later)


def measure_stateless(title, command, args, tool, pause):
    host = Host(options.pfar)
    try:
        host.server("stateful", command, args)
        host.server("stateless", command, args, top="stateful = false")
        host.start()
        host.until_running(1)
        while not host.control.ask("tools", server="stateless"):
            time.sleep(0.01)
        calls(host, "stateful", tool, 3, pause), calls(host, "stateless", tool, 3, pause)
        ours, base = [], []
        for _ in range(options.rounds * 4):  # in turn, each after the same pause
            base += calls(host, "stateful", tool, 2, pause)
            ours += calls(host, "stateless", tool, 2, pause)
        start = time.perf_counter()
        calls(host, "stateless", tool, 10, 0)
        rate = 10 / (time.perf_counter() - start)
    finally:
        host.remove()
    row(f"{title}: stateful call, p50", statistics.median(base) * 1e3, "ms")
    row(f"{title}: warm stateless call, p50", statistics.median(ours) * 1e3, "ms")
    row(f"{title}: ratio", statistics.median(ours) / statistics.median(base), "x", "bar <= 1.5")
    row(f"{title}: first call of a bare process to its third", bare_calls([command, *args], tool, pause), "x", "what a fresh process costs by itself")
    row(f"{title}: stateless, back to back", rate, "/s")


if node and os.path.isdir(os.path.join(options.modules, "@upstash/context7-mcp")):
    measure_five()
    measure_twenty()
    everything = script("@modelcontextprotocol/server-everything")
    measure_stateless("server-everything", node, [everything, "stdio"], "echo", 1.5)
else:
    print("servers from npm: not measured, they cannot be installed here (node and the npm registry are needed)", file=out)
measure_stateless("fixture server", options.fixture, [], "echo", 0.15)
if options.json:
    print(json.dumps(numbers))
