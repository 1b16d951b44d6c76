# Performs a table of attempts, each a list of steps, and prints NAME<TAB>OUTCOME for each. Nothing in it knows pfar: the same
# file with the same table runs inside of a sandbox, and outside of it as the control. There --relay stands for the filter: a proxy
# on the same port that dials whatever a sloppy reader could take a request for.
import json, re, select, socket, ssl, struct, sys, threading, unicodedata, urllib.parse
from concurrent.futures import ThreadPoolExecutor

PROXY = ('127.0.0.1', 3128)
PATIENCE = 10 # for what has to come; a row that is meant to stay silent says how long it listens


class Over(Exception): # the outcome is known
    pass


class Attempt:
    def __init__(self):
        self.socket = None
        self.heard = b''
        self.held = b''
        self.ended = False

    def dial(self, host, port):
        self.socket = socket.create_connection(PROXY if host == 'proxy' else (host, port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, text):
        self.socket.sendall(text.encode('latin-1'))

    def drip(self, text):
        for byte in text.encode('latin-1'):
            self.socket.sendall(bytes([byte]))

    def flood(self, text, times): # the other side may have had enough
        try:
            self.socket.sendall(text.encode('latin-1') * times)
        except OSError:
            pass

    def hold(self, text): # goes out together with what is sent first in the handshake
        self.held = text.encode('latin-1')

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def hear(self):
        try:
            got = self.socket.recv(65536)
        except TimeoutError:
            raise Over(self.summary() + ' silent')
        except ssl.SSLError:
            raise
        except OSError: # a reset is an end
            got = b''
        self.ended = not got
        self.heard += got
        return bool(got)

    def granted(self): # a head with 200, or the attempt is over
        while b'\r\n\r\n' not in self.heard and self.hear():
            pass
        head, _, self.heard = self.heard.partition(b'\r\n\r\n')
        if not re.match(rb'HTTP/1\.[01] 200', head):
            self.heard = head + b'\r\n\r\n' + self.heard
            self.answers(1)

    def tls(self, name, how='whole'):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        into, out = ssl.MemoryBIO(), ssl.MemoryBIO()
        session = context.wrap_bio(into, out, server_hostname=name)
        self.handshake(session, into, out, how)
        self.socket = Inner(self.socket, session, into, out)

    def handshake(self, session, into, out, how):
        while True:
            try:
                session.do_handshake()
                return self.socket.sendall(out.read())
            except ssl.SSLWantReadError:
                hello = out.read()
                if how == 'bytes':
                    self.drip(hello.decode('latin-1'))
                elif how == 'records': # the same message in two records
                    cut = 60
                    body = hello[5:]
                    for part in (body[:cut], body[cut:]):
                        self.socket.sendall(hello[:3] + struct.pack('>H', len(part)) + part)
                    how = 'whole'
                elif self.held:
                    self.socket.sendall(self.held + hello)
                    self.held = b''
                    self.granted()
                    into.write(self.heard)
                    self.heard = b''
                    continue
                else:
                    self.socket.sendall(hello)
                into.write(self.received())

    def received(self):
        try:
            got = self.socket.recv(65536)
        except TimeoutError:
            raise Over('silent')
        if not got:
            raise Over('closed')
        return got

    def answers(self, count): # complete ones of peers, or refusals
        while len(self.found()) < count and self.hear():
            pass
        if '400' in self.found():
            while not self.ended and self.hear(): # malformed: the connection has to end too
                pass
        raise Over(self.summary())

    def found(self):
        words = re.findall(rb'peer=(good|evil)[^\n]*\n|HTTP/1\.[01] (?!200)(\d{3})|(\+PONG)', self.heard)
        return [b''.join(word).decode() for word in words]

    def summary(self):
        found = self.found()
        if not found and self.heard:
            found = ['text ' + repr(self.heard[:60])]
        return ' '.join(found or (['closed'] if self.ended else []))

    def ask(self, server, port, transport, name, kind): # name: latin-1, labels by dots
        query = struct.pack('>6H', 4711, 0x100, 1, 0, 0, 0)
        for label in name.rstrip('.').split('.'):
            query += bytes([len(label)]) + label.encode('latin-1')
        query += b'\0' + struct.pack('>2H', kind, 1)
        if transport == 'tcp':
            self.dial(server, port)
            self.socket.sendall(struct.pack('>H', len(query)) + query)
            while len(self.heard) < 2 or len(self.heard) < 2 + struct.unpack('>H', self.heard[:2])[0]:
                if not self.hear():
                    raise Over('closed')
            return self.judge_answer(self.heard[2:])
        self.datagram(server, port, query)
        self.judge_answer(self.heard)

    def judge_answer(self, answer):
        code, count = answer[3] & 15, struct.unpack('>H', answer[6:8])[0]
        where = '' if not count or answer[-6:-4] != b'\0\4' else ' ' + socket.inet_ntoa(answer[-4:])
        raise Over({0: 'answered' if count else 'empty', 2: 'SERVFAIL', 3: 'NXDOMAIN'}.get(code, 'code %d' % code) + where)

    def datagram(self, host, port, data, listen=PATIENCE):
        family = socket.AF_INET6 if ':' in host else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_DGRAM)
        self.socket.settimeout(listen)
        self.socket.connect((host, port))
        self.socket.send(data)
        self.heard = self.socket.recv(65536)

    def udp(self, host, port, text, listen):
        self.datagram(host, port, text.encode('latin-1'), listen)
        raise Over(self.summary())


class Inner: # the inside of a TLS session, with the two calls that are used
    def __init__(self, outer, session, into, out):
        self.outer, self.session, self.into, self.out = outer, session, into, out

    def sendall(self, data):
        self.session.write(data)
        self.outer.sendall(self.out.read())

    def recv(self, size):
        while True:
            try:
                return self.session.read(size)
            except ssl.SSLWantReadError:
                got = self.outer.recv(65536)
                if not got:
                    return b''
                self.into.write(got)
            except ssl.SSLZeroReturnError:
                return b''


def outcome(row):
    attempt = Attempt()
    try:
        for step, *words in row['steps']:
            getattr(attempt, step)(*words)
        attempt.answers(1)
    except Over as over:
        return str(over).strip()
    except ssl.SSLError as error:
        return 'alert ' + (error.reason or '').lower()
    except socket.gaierror:
        return 'no such name'
    except TimeoutError:
        return 'silent'
    except OSError as error:
        return type(error).__name__ if type(error) is not OSError else 'errno %d' % error.errno
    finally:
        if attempt.socket is not None:
            getattr(attempt.socket, 'outer', attempt.socket).close()


def sloppy(text): # every way to read a host and a port into it that somebody's code has had
    text = re.sub(r'^([a-z]+:)?//', '', text, flags=re.I)
    text = urllib.parse.unquote(text).split('@')[-1]
    text = re.split(r'[\0#?/\\\t ,;]', unicodedata.normalize('NFKC', text).replace('\u3002', '.'))[0]
    host, port = re.fullmatch(r'(\[[^\]]*\]|[^:]*):?(.*)', text).groups()
    try:
        port = int(port.split(':')[0] or '0') % 65536
    except ValueError:
        port = 0
    return host.strip('[]'), port


def relay(client):
    head = b''
    while not re.search(rb'\n\r?\n', head) and not (b'\n' in head and b' HTTP/' not in head.split(b'\n')[0]):
        got = client.recv(65536)
        if not got:
            return client.close()
        head = (head + got).lstrip(b'\r\n')
    words = [word for word in head.split(b'\n')[0].strip(b'\r').split(b' ') if word]
    connect = words[0] == b'CONNECT'
    target = words[1] if len(words) > 1 else b''
    if re.match(rb'/(?!/)', target): # origin-form: by its Host
        target = re.search(rb'\nHost *:[ \t]*([^\r\n]*)', head, re.I).group(1)
    host, port = sloppy(target.decode('utf-8', 'replace'))
    server = socket.create_connection((host, port or (443 if connect else 80)), PATIENCE)
    if connect:
        end = re.search(rb'\n\r?\n', head).end()
        client.sendall(b'HTTP/1.1 200 OK\r\n\r\n')
        head = head[end:]
    server.sendall(head)
    ends = {client: server, server: client}
    while ends:
        for end in select.select(list(ends), [], [])[0]:
            got = end.recv(65536)
            other = client if end is server else server
            if got:
                other.sendall(got)
            else:
                other.shutdown(socket.SHUT_WR)
                del ends[end]


def serve_relay(listener):
    def guarded(client):
        try:
            relay(client)
        except (OSError, UnicodeError, AttributeError):
            pass
        finally:
            client.close()

    while True:
        threading.Thread(target=guarded, args=(listener.accept()[0],), daemon=True).start()


def main(file, *options):
    if '--relay' in options:
        threading.Thread(target=serve_relay, args=(socket.create_server(PROXY, backlog=512),), daemon=True).start()
    with open(file, encoding='utf-8') as table:
        rows = json.load(table)
    with ThreadPoolExecutor(8) as pool:
        for row, result in zip(rows, pool.map(outcome, rows)):
            print(row['name'], result, sep='\t', flush=True)


main(*sys.argv[1:])
