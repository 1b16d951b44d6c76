# A web service on loopback, without TLS: it knows one token and keeps what it was asked.   web_service.py TOKEN LOG
import http.server
import sys

token, log = sys.argv[1:]


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        right = self.headers.get("Authorization") == "Bearer " + token
        with open(log, "a") as out:
            out.write(f"{self.path} {'right' if right else 'wrong'}\n")
        body = b"hello\n" if right else b"who are you?\n"
        self.send_response(200 if right else 401)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
print(server.server_address[1], flush=True)
server.serve_forever()
