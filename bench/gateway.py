# The driver of gateway.sh: the bare server, the bare relay and pfar over stdio; pfar and its peers over HTTP; then sessions and hostile clients.
# All is pinned to one core. For each way there is one client, started once; they take their turns in rounds, and each round begins with another.
import argparse, json, os, shutil, statistics, subprocess, sys

import gateway_hostile, gateway_http
from gateway_stage import CORE, Client, Programs, Stage, free_port, pinned, until_listening, verdict

parser = argparse.ArgumentParser(prog="./dev bench gateway")
parser.add_argument("pfar"), parser.add_argument("programs", help="where the programs of the bench are"), parser.add_argument("modules", help="where npm put the peers")
parser.add_argument("--rounds", type=int, default=9)
parser.add_argument("--only", default="stdio,http,sessions,hostile", help="parts, with commas; kinds: each kind of hostile client by itself")
parser.add_argument("--json", action="store_true")
options = parser.parse_args()
out = sys.stderr if options.json else sys.stdout
programs = Programs(options.programs, options.pfar)
CALLS, BIGS = 4000, 100


def in_turns(ways, order, key):
    """{way: median}, {way: [of each round]}; what was slow for being first is left out."""
    found, names = {name: [] for name in ways}, list(ways)
    for way in ways.values():
        way.ask(order)
    for number in range(options.rounds):
        for name in names[number % len(names) :] + names[: number % len(names)]:
            found[name].append(ways[name].ask(order)[key])
    return {name: statistics.median(values) for name, values in found.items()}, found


def show(title, unit, values, base):
    print(f"{title:<66} {unit:>9} {'ratio':>7}", file=out)
    for name, value in values.items():
        print(f"{'  ' + name:<66} {value:9.1f} {value / values[base]:7.2f}", file=out)


def bar(title, value, limit, more_is_better=False, note=""):
    good = value >= limit if more_is_better else value <= limit
    print(f"{'  ' + title:<66} {'':>9} {value:7.2f}  {'>=' if more_is_better else '<='} {limit}: {verdict(good)}{note}", file=out)
    return round(value, 3)


def measure_stdio():
    stage = Stage(programs)
    ways = {}
    try:
        ways["bare server"] = Client(programs, "--", programs.echo)
        ways["bare relay"] = Client(programs, "--", programs.relay, programs.echo)
        ways["pfar"] = stage.client()
        result = {}
        one, rounds = in_turns(ways, f"one {CALLS}", "p50")
        show("tools/call over stdio, one in flight, p50", "us", one, "bare server")
        added = [(p - b) / (r - b) for p, r, b in zip(rounds["pfar"], rounds["bare relay"], rounds["bare server"])]
        ratio = (one["pfar"] - one["bare server"]) / (one["bare relay"] - one["bare server"])
        result["one_us"], result["added_ratio"] = one, bar("what pfar adds, to what the bare relay adds", ratio, 3, note=f" (rounds {min(added):.2f} to {max(added):.2f})")
        for order, title in (("many", "as many to a write as there is room for"), ("each", "a write for each")):
            before = stage.cpu()
            rate, _ = in_turns(ways, f"{order} {CALLS * 5} 64", "per_s")
            cpu = (stage.cpu() - before) / (CALLS * 5 * (options.rounds + 1)) * 1e6
            show(f"64 in flight, {title}", "per s", rate, "bare server")
            result[order + "_per_s"], result[order + "_host_cpu_us"] = rate, round(cpu, 2)
            result[order + "_ratio"] = bar("pfar to the bare server", rate["pfar"] / rate["bare server"], 0.25, True, f" (its host computes {cpu:.1f} us a call)")
        bulk, _ = in_turns(ways, f"big {BIGS}", "mib_s")
        show("results of 1 MiB, one in flight", "MiB/s", bulk, "bare server")
        result["big_mib_s"], result["big_ratio"] = bulk, bar("pfar to the bare server", bulk["pfar"] / bulk["bare server"], 0.3, True)
        return result
    finally:
        for way in ways.values():
            way.close()
        stage.remove()


def peer(name, script, words):
    """(process, port), or nothing and a sentence."""
    path, node = os.path.join(options.modules, script), shutil.which("node")
    if not node or not os.path.exists(path):
        return print(f"{name}: not measured, it cannot be installed here (node and the npm registry are needed)", file=out)
    port = free_port()
    process = subprocess.Popen(pinned([node, path, *words(port)]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if until_listening(port, process):
        return process, port
    process.kill(), process.wait()
    return print(f"{name}: not measured, it does not start", file=out)


def measure_http():
    stage, ways, peers, result = Stage(programs), {}, [], {}
    try:
        ways["pfar"] = stage.http_client(stage.serve_http())
        known = {
            "mcp-proxy": ("mcp-proxy/dist/bin/mcp-proxy.mjs", lambda port: ["--host", "127.0.0.1", "--port", str(port), "--server", "stream", "--", programs.echo]),
            "supergateway": ("supergateway/dist/index.js", lambda port: ["--stdio", programs.echo, "--outputTransport", "streamableHttp", "--stateful", "--logLevel", "none", "--port", str(port)]),
        }
        for name, (script, words) in known.items():
            if running := peer(name, script, words):
                peers.append(running[0])
                ways[name] = Client(programs, "--http", f"http://127.0.0.1:{running[1]}/mcp")
        for order, key, unit, title in (("one 400", "p50", "us", "tools/call over HTTP, one in flight, p50"), ("many 2000 64", "per_s", "per s", "64 in flight, a connection each")):
            values, _ = in_turns(ways, order, key)
            show(title, unit, values, "pfar")
            result[order.split()[0]] = values
        return result
    finally:
        for way in ways.values():
            way.close()
        for process in peers:
            process.terminate(), process.wait()
        stage.remove()


def main():
    parts = {"stdio": measure_stdio, "http": measure_http, "sessions": lambda: gateway_http.measure(programs, out), "hostile": lambda: gateway_hostile.measure(programs, out), "kinds": lambda: gateway_hostile.measure_kinds(programs, out)}
    print(f"median of {options.rounds} interleaved rounds, all on core {CORE}, load {os.getloadavg()[0]:.1f} before", file=out)
    result = {"rounds": options.rounds, "load_before": round(os.getloadavg()[0], 1)}
    for part in options.only.split(","):
        result[part] = parts[part]()
        out.flush()
    if options.json:
        print(json.dumps(result))


main()
