# The driver of egress.sh: one server, and for each way a client in C++ and one in Python, all started once; they take their turns in
# rounds, so that whatever else the machine does falls on all alike. Numbers are medians of rounds, ratios are to direct in the same run.
import argparse, json, os, resource, signal, statistics, subprocess, sys
import egress_proxies

parser = argparse.ArgumentParser(prog="./dev bench egress")
parser.add_argument("pfar")
parser.add_argument("ends", help="the program pfar-bench-egress")
parser.add_argument("home", help="a temporary directory")
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--json", action="store_true")
options = parser.parse_args()

DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
IDLE, BULK = min(1000, (DESCRIPTORS - 200) // 3), 1 << 30  # a tunnel is two descriptors in its proxy, and squid keeps some back
LEAN = [options.ends, "client"]
PLAIN = [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "egress_client.py"), "client"]
started = []


def run(command, **other):
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **other)
    started.append(child)
    return child


class Client:
    """One that obeys, and the process of the proxy that it goes through."""

    def __init__(self, command, proxy=None, environment=None):
        self.process = run(command, env=environment)
        self.proxy = proxy or self.process

    def ask(self, order):
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the client ended: " + " ".join(self.process.args))
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def sandboxed(program, target, domains, home, settings=""):
    if not os.path.exists(home):
        os.mkdir(home, 0o700)
        with open(home + "/pfar.toml", "w") as file:
            file.write(settings)
    reach = ["--proxy", "127.0.0.1:3128"] if domains else ["--direct"]
    allowed = [word for name in domains for word in ("--allow-domain", name)]
    return Client([options.pfar, "exec", *allowed, "--", *program, *reach, target], environment={**os.environ, "PFAR_HOME": home})


def start_proxies():
    """{name: (process, port)} of those that can be had."""
    relay = run([options.ends, "relay"])
    proxies = {"bare relay": (relay, int(relay.stdout.readline()))}
    for name, start in (("squid", egress_proxies.start_squid), ("tinyproxy", egress_proxies.start_tinyproxy)):
        running = start(options.home)
        if isinstance(running, str):
            print(running, file=sys.stderr)
            continue
        started.append(running[0])
        proxies[name] = running
    return proxies


def clients(program, target, proxies):
    ways = {"direct": Client([*program, "--direct", target])}
    ways["pfar"] = sandboxed(program, target, [target], options.home + "/default")
    for name, (process, port) in proxies.items():
        ways[name] = Client([*program, "--proxy", f"127.0.0.1:{port}", target], process)
    return ways


def in_turns(ways, once):
    """The median of each way; each round begins with another one, and what was slow for being first is left out."""
    found = {name: [] for name in ways}
    for way in ways.values():
        once(way)
    names = list(ways)
    for number in range(options.rounds):
        for name in names[number % len(names):] + names[:number % len(names)]:
            found[name].append(once(ways[name]))
    return {name: statistics.median(values) for name, values in found.items()}


def setup(way):
    return statistics.median(way.ask("setup 50")["microseconds"])


def bulk(way):
    return BULK / 2**20 / way.ask(f"bulk {BULK}")["seconds"]


def concurrent(way):
    return statistics.median(640 / way.ask("concurrent 640 64")["seconds"] for _ in range(3))


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def idle(way):
    way.ask("setup 1")
    before = memory(way.proxy)
    count = way.ask(f"idle {IDLE}")["open"]
    after = memory(way.proxy)
    way.ask("drop")
    return {"open": count, "before_kib": before, "after_kib": after, "kib_per_tunnel": round((after - before) / max(count, 1), 1)}


def tree(pid):
    children = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            children += [int(child) for child in file.read().split()]
    return 1 + sum(tree(child) for child in children)


def processes(target):
    counts = []
    for domains in ([], [target]):
        client = sandboxed(LEAN, target, domains, options.home + "/default")
        client.ask("drop")  # it is inside now
        counts.append(tree(client.process.pid))
        client.end()
    return {"without_domains": counts[0], "with_domains": counts[1]}


def measure():
    result = {"rounds": options.rounds, "load_before": round(os.getloadavg()[0], 1), "cores": len(os.sched_getaffinity(0))}
    server = run([options.ends, "server"])
    target = "127.0.0.1:" + server.stdout.readline().strip()
    proxies = start_proxies()
    lean, plain = clients(LEAN, target, proxies), clients(PLAIN, target, proxies)
    result["setup_us"] = {"lean": in_turns(lean, setup), "plain": in_turns(plain, setup)}
    result["bulk_mib_s"] = {"lean": in_turns(lean, bulk)}
    result["concurrent_per_s"] = {"lean": in_turns(lean, concurrent), "plain": in_turns(plain, concurrent)}
    roomy = sandboxed(LEAN, target, [target], options.home + "/roomy", "[plugins.proxy-connect]\ntunnels = 2000\n")
    result["idle"] = {"pfar, tunnels = 2000": idle(roomy), "pfar, as it comes": idle(lean["pfar"])}
    result["idle"].update({name: idle(lean[name]) for name in proxies})
    result["processes"] = processes(target)
    return result


def verdict(good):
    return "ok" if good else "MISSED"


def show(title, unit, values, bar, more_is_better):
    def reaches(name):
        ratio = values[name] / values["direct"]
        return ratio >= bar if more_is_better else ratio <= bar

    print(f"{title:<58} {unit:>8} {'ratio':>7}")
    for name, value in values.items():
        line = f"{'  ' + name:<58} {value:8.0f} {value / values['direct']:7.2f}"
        if name == "pfar":
            line += f"  {'>=' if more_is_better else '<='} {bar}: {verdict(reaches('pfar'))}"
            if not reaches("pfar") and not reaches("bare relay"):
                line += " (by the bare relay too)"
            if "squid" in values:
                line += f"; ahead of squid: {verdict((value > values['squid']) == more_is_better)}"
        print(line)


def report(result):
    print(f"egress on loopback: median of {result['rounds']} interleaved rounds, {result['cores']} cores, load {result['load_before']} before")
    for kind, client in (("plain", "a client in Python"), ("lean", "a client in C++")):
        show(f"CONNECT set-up and one byte there and back, {client}", "us", result["setup_us"][kind], 3, False)
        show(f"640 requests, 64 at once, a tunnel each, {client}", "per s", result["concurrent_per_s"][kind], 0.45, True)
    show("1 GiB through one tunnel, a client in C++", "MiB/s", result["bulk_mib_s"]["lean"], 0.45, True)
    added = max((result["setup_us"][kind]["pfar"] - result["setup_us"][kind]["direct"]) / 1000 for kind in ("lean", "plain"))
    print(f"{'what pfar adds to a request, ms':<58} {added:8.2f}          < 5: {verdict(added < 5)}")
    counts = result["processes"]
    more = counts["with_domains"] - counts["without_domains"]
    print(f"{'processes that egress adds to a sandbox':<58} {more:8}          0: {verdict(more == 0)} ({counts['with_domains']} in all)")
    print(f"{f'{IDLE} idle tunnels, memory of the proxy':<58} {'KiB each':>8} {'open':>7} {'KiB before':>11} {'after':>7}")
    for name, row in result["idle"].items():
        print(f"{'  ' + name:<58} {row['kib_per_tunnel']:8.1f} {row['open']:7} {row['before_kib']:11} {row['after_kib']:7}")


resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
try:
    numbers = measure()
finally:
    for child in reversed(started):
        child.kill()
        child.wait()
if options.json:
    print(json.dumps(numbers))
else:
    report(numbers)
