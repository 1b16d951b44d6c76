# The proxies that pfar is compared with: each from a configuration of its own, as nobody, without cache and access log.
import glob, os, pwd, shutil, socket, subprocess, time

SQUID = """
http_port 127.0.0.1:{port}
http_access allow all
cache deny all
access_log none
cache_log {dir}/log
pid_filename none
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname localhost
"""
SQUID_UNPACKED = """
unlinkd_program {root}/usr/lib/squid/unlinkd
mime_table {root}/usr/share/squid/mime.conf
icon_directory {root}/usr/share/squid/icons
error_directory {root}/usr/share/squid/errors/templates
err_page_stylesheet {root}/etc/squid/errorpage.css
"""
TINYPROXY = """
Port {port}
Listen 127.0.0.1
Allow 127.0.0.1
Timeout 600
MaxClients 2000
LogLevel Critical
LogFile "{dir}/log"
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def find(name, unpacked):
    """The program, and the root that it was unpacked to: none if it is installed."""
    installed = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
    return (installed, None) if installed else (shutil.which(name, path=f"{unpacked}/usr/bin:{unpacked}/usr/sbin"), unpacked)


def launch(command, root, directory):
    environment, who = {"PATH": os.environ["PATH"]}, {}
    if root:
        environment["LD_LIBRARY_PATH"] = ":".join(glob.glob(f"{root}/usr/lib/*-linux-gnu") + glob.glob(f"{root}/lib/*-linux-gnu"))
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(directory, nobody.pw_uid, nobody.pw_gid)
        who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
    with open(directory + "/output", "w") as output:
        return subprocess.Popen(command, env=environment, cwd=directory, stdin=subprocess.DEVNULL, stdout=output, stderr=output, **who)


def start(name, options, template, home):
    """(process, port), or a sentence that says why not."""
    program, root = find(name, home + "/peers")
    if not program:
        return f"{name}: not measured, it is neither installed nor in a package archive that can be reached"
    directory, port = f"{home}/{name}", free_port()
    os.mkdir(directory)
    with open(directory + "/config", "w") as config:
        text = template + (SQUID_UNPACKED if name == "squid" and root else "")
        config.write(text.format(port=port, dir=directory, root=root))
    process = launch([program, *options, directory + "/config"], root, directory)
    for _ in range(1000):
        if process.poll() is not None or listens(port):
            break
        time.sleep(0.01)
    if process.poll() is None and listens(port):
        return process, port
    process.kill()
    process.wait()
    return f"{name}: not measured, it does not start: " + open(directory + "/output").read().strip()[-300:]


def start_squid(home):
    return start("squid", ["-N", "-f"], SQUID, home)


def start_tinyproxy(home):
    return start("tinyproxy", ["-d", "-c"], TINYPROXY, home)
