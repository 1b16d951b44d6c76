# A package registry for tests: npm packages and PyPI wheels that are made here, on 127.0.0.1, and a second host (127.0.0.2) that nobody has allowed.
# registry.py DIRECTORY SECRET-FILE: says "ready PORT OTHER-PORT TLS-PORT.", and writes one line a request (path, authorization) to DIRECTORY/log.
# It is an HTTP proxy in front of itself as well; the third port speaks TLS if DIRECTORY has a cert.pem and a key.pem.
import base64, hashlib, http.server, io, json, os, socket, socketserver, ssl, sys, tarfile, threading, zipfile

directory, secret_file = sys.argv[1], sys.argv[2]
token = "npm_T0kenThatNobodyMayFind"
log_lock = threading.Lock()

STEAL = """const fs = require('fs'), net = require('net'), out = {};
try { out.file = fs.readFileSync(process.argv[2], 'utf8'); } catch (e) { out.file = e.code; }
try { out.around = fs.readdirSync('../../..').length; } catch (e) { out.around = e.code; }
const done = (how) => { out.net = how; fs.writeFileSync('result.json', JSON.stringify(out)); process.exit(0); };
const socket = net.connect(Number(process.argv[3]), '127.0.0.2', () => done('connected'));
socket.on('error', (e) => done(e.code));
setTimeout(() => done('nothing'), 3000);
"""


def tarball(description, files):
    out = io.BytesIO()
    files = dict(files, **{"package.json": json.dumps(description)})
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
        for name, content in files.items():
            content = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo("package/" + name)
            info.size, info.mode = len(content), 0o755
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


packages = {}  # name -> (description, tarball)


def add(name, files, version="1.0.0", **more):
    description = dict({"name": name, "version": version}, **more)
    packages.setdefault(name, {})[version] = (description, tarball(description, files))


def make_packages(other_port):
    hello = "#!/usr/bin/env node\nconsole.log('hello from ' + process.argv[1]);\n"
    add("hello", {"cli.js": hello}, bin={"hello": "cli.js"})
    add("hello", {"cli.js": hello}, version="2.0.0", bin={"hello": "cli.js"})
    add("@corp/tool", {"cli.js": hello}, bin="cli.js", dependencies={"hello": "1.0.0"})
    add("needy", {"cli.js": hello}, bin="cli.js", dependencies={"hello": "^7.0.0"})
    evil = {"cli.js": hello, "steal.js": STEAL}
    add("evil", evil, bin="cli.js", scripts={"postinstall": "node steal.js %s %d" % (secret_file, other_port)})
    for name in ("moved", "elsewhere", "broken", "slow"):
        add(name, {"cli.js": hello}, bin="cli.js")
    add("huge", {"cli.js": hello, "data": os.urandom(40 << 20)}, bin="cli.js")
    add("script", {"run": "#!/bin/sh\necho plain\n"}, bin={"script": "run"})
    add("flags", {"cli.js": "#!/usr/bin/env -S node --no-warnings\n"}, bin={"other": "cli.js"})
    add("greedy", {"cli.js": "#!/usr/bin/env -S node --title ${PFAR_HOME}/../secret\n"}, bin="cli.js")
    add("two", {"cli.js": hello}, bin={"first": "cli.js", "second": "cli.js"})
    add("outside", {"cli.js": hello}, bin={"outside": "../../../../../../etc/passwd"})
    add("library", {"index.js": ""})


def document(name, base):
    versions = {}
    for version, (description, bytes_) in packages[name].items():
        digest = hashlib.sha512(b"something else" if name == "broken" else bytes_).digest()
        host = "http://127.0.0.2:%d" % other.server_port if name == "elsewhere" else base
        versions[version] = dict(description, dist={
            "tarball": "%s/%s/-/%s-%s.tgz" % (host, name, name.split("/")[-1], version),
            "integrity": "sha512-" + base64.b64encode(digest).decode()})
        if "scripts" in description:
            versions[version]["hasInstallScript"] = True
    return json.dumps({"name": name, "dist-tags": {"latest": max(versions)}, "versions": versions})


def wheel(name, version, more=""):
    out, info = io.BytesIO(), "%s-%s.dist-info/" % (name, version)
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr(name + "/__init__.py", "import sys\ndef main():\n    print('hello from python', sys.argv[0])\n")
        zipped.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: %s\nVersion: %s\n%s" % (name, version, more))
        zipped.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        zipped.writestr(info + "entry_points.txt", "[console_scripts]\n%s = %s:main\n" % (name.replace("_", "-"), name))
        zipped.writestr(info + "RECORD", "")
    return out.getvalue()


wheels = {"hello-py": ("hello_py-1.0.0-py3-none-any.whl", wheel("hello_py", "1.0.0", "Requires-Dist: needed-py\n")),
          "needed-py": ("needed_py-1.0.0-py3-none-any.whl", wheel("needed_py", "1.0.0"))}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        body = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def python(self, path):
        name = path.rstrip("/").split("/")[-1]
        for file, content in wheels.values():
            if name == file:
                return self.reply(200, content)
        if name not in wheels:
            return self.reply(404)
        file, content = wheels[name]
        link = '<a href="/files/%s#sha256=%s">%s</a>' % (file, hashlib.sha256(content).hexdigest(), file)
        return self.reply(200, link, Content_Type="text/html")

    def note(self, what):
        with log_lock, open(os.path.join(directory, "log"), "a") as log:
            log.write(what + "\n")

    def do_CONNECT(self):
        self.note("CONNECT %s %s" % (self.path, self.headers.get("Proxy-Authorization", "-")))
        there = socket.create_connection(("127.0.0.1", main.server_port))
        self.send_response(200)
        self.end_headers()

        def pass_on(source, target):
            while data := source.recv(65536):
                target.sendall(data)

        threading.Thread(target=pass_on, args=(there, self.connection), daemon=True).start()
        pass_on(self.connection, there)
        self.close_connection = True

    def do_GET(self):
        path, mine = self.path.replace("%2f", "/").replace("%2F", "/"), self.headers.get("Authorization", "-")
        if path.startswith("http://"):
            self.note("PROXY %s %s" % (path, self.headers.get("Proxy-Authorization", "-")))
            path = "/" + path.split("/", 3)[3]
        self.note("%s %s" % (path, mine))
        if path.startswith("/corp/") and mine != "Bearer " + token:
            return self.reply(401, "{}", WWW_Authenticate="Bearer")
        if path.startswith("/private/") and mine != "Basic " + base64.b64encode(b"me:pip-Passw0rd").decode():
            return self.reply(401, "", WWW_Authenticate='Basic realm="x"')
        if "/simple/" in path or path.startswith("/files/"):
            return self.python(path)
        base, rest = ("https://%s" if self.server is secure else "http://%s") % self.headers["Host"], path.lstrip("/")
        if rest.startswith("corp/"):
            base, rest = base + "/corp", rest[5:]
        name, _, file = rest.partition("/-/")
        if name not in packages:
            return self.reply(404, "{}")
        if not file:
            return self.reply(200, document(name, base), Content_Type="application/json")
        if name == "moved" and self.server is not other:
            return self.reply(302, Location="http://127.0.0.2:%d%s" % (other.server_port, path))
        content = packages[name][file.rsplit("-", 1)[1][:-4]][1]
        if name == "slow":
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:10])
            self.wfile.flush()
            threading.Event().wait()
        return self.reply(200, content, Content_Type="application/octet-stream")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


main, other, secure = (Server((host, 0), Handler) for host in ("127.0.0.1", "127.0.0.2", "127.0.0.1"))
if os.path.exists(os.path.join(directory, "cert.pem")):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(directory, "cert.pem"), os.path.join(directory, "key.pem"))
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
make_packages(other.server_port)
for one in (other, secure):
    threading.Thread(target=one.serve_forever, daemon=True).start()
print("ready %d %d %d." % (main.server_port, other.server_port, secure.server_port), flush=True)
main.serve_forever()
