#!/usr/bin/env python3
"""A server of HTTP for tests of oclcache-storage: values in memory, and what it does
wrong as a test wants it.

    http_server.py PORT-FILE LOG [OPTION=VALUE...]

Listens on a port of its own, which it writes into PORT-FILE when it does. Each request
is a line in LOG: method, path, status, number of the connection, bytes. Options:

  auth=TEXT        the header Authorization must be this, else 401
  header=NAME:TEXT so must be this one
  cert=FILE key=FILE   TLS with this certificate
  client-ca=FILE   clients must have a certificate of it
  sigv4=ID:SECRET:REGION[:TOKEN]   AWS signature version 4 is checked, else 403
  faults=FILE      what is in it now: "status N [METHOD]" (answers so), "close" (says
                   nothing), "stall" (says nothing for long), "truncate" (half a
                   value), "redirect URL", "expired", "hold" (answers when it
                   has gone), "half" (so, behind half a value)
"""
import hashlib
import hmac
import http.server
import os
import socketserver
import ssl
import sys
import threading
import time
import urllib.parse

STALL_S = 60
LOOK_S = 0.02
options = dict(item.split("=", 1) for item in sys.argv[3:])
values = {}
lock = threading.Lock()
connections = 0


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def expected_signature(handler, body):
    """By Amazon's description of the signing process; None: nothing is signed."""
    access, secret, region = options["sigv4"].split(":")[:3]
    sent = handler.headers.get("Authorization", "")
    if not sent.startswith("AWS4-HMAC-SHA256 "):
        return None, ""
    fields = dict(part.strip().split("=", 1)
                  for part in sent[len("AWS4-HMAC-SHA256 "):].split(","))
    names = fields["SignedHeaders"].split(";")
    url = urllib.parse.urlsplit(handler.path)
    query = "&".join(sorted(url.query.split("&"))) if url.query else ""
    date = handler.headers["X-Amz-Date"]
    scope = f"{date[:8]}/{region}/s3/aws4_request"
    if fields["Credential"] != f"{access}/{scope}" or "host" not in names:
        return None, ""
    if handler.headers.get("x-amz-content-sha256") != hashlib.sha256(body).hexdigest():
        return None, ""
    lines = "".join(f"{name}:{' '.join(handler.headers[name].split())}\n"
                    for name in names)
    request = "\n".join([handler.command, url.path, query, lines, ";".join(names),
                         hashlib.sha256(body).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", date, scope,
                      hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in (date[:8], region, "s3", "aws4_request"):
        key = digest(key, part)
    return fields["Signature"], digest(key, text).hex()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        global connections
        super().setup()
        with lock:
            connections += 1
            self.number = connections

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", more=(), length=None):
        with lock, open(sys.argv[2], "a", encoding="ascii") as log:
            log.write(f"{self.command} {self.path} {status} {self.number} {len(body)}\n")
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        half = len(body) // 2
        self.wfile.write(body[:half])
        while self.fault()[0] == "half":
            time.sleep(LOOK_S)
        if self.fault()[0] == "close":
            self.close_connection = True
        else:
            self.wfile.write(body[half:])

    def fault(self):
        try:
            with open(options.get("faults", ""), encoding="ascii") as file:
                return file.read().split() or [""]
        except OSError:
            return [""]

    def is_denied(self, body):
        if "sigv4" in options:
            sent, wanted = expected_signature(self, body)
            token = (options["sigv4"].split(":") + [None])[3]
            if sent is None or sent != wanted:
                return 403
            if token and self.headers.get("x-amz-security-token") != token:
                return 403
        if "auth" in options and self.headers.get("Authorization") != options["auth"]:
            return 401
        if "header" in options:
            name, text = options["header"].split(":", 1)
            if self.headers.get(name) != text:
                return 403
        return 0

    def is_faulty(self, body):
        kind, *rest = self.fault()
        while kind == "hold":
            time.sleep(LOOK_S)
            kind, *rest = self.fault()
        if kind == "status" and self.command in rest[1:] + [self.command] * (len(rest) < 2):
            self.answer(int(rest[0]))
        elif kind == "close":
            self.close_connection = True
        elif kind == "stall":
            time.sleep(STALL_S)
            self.close_connection = True
        elif kind == "redirect":
            self.answer(307, more=[("Location", rest[0] + self.path)])
        elif kind == "expired":
            self.answer(400, b"<Error><Code>ExpiredToken</Code></Error>")
        elif kind == "truncate" and self.command == "GET":
            self.answer(200, b"half", length=8)
            self.close_connection = True
        else:
            return False
        return True

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.is_faulty(body):
            return
        status = self.is_denied(body)
        if status:
            self.answer(status)
        elif self.command == "PUT":
            with lock:
                values[self.path] = body
            self.answer(201)
        elif self.path not in values:
            self.answer(404)
        elif self.command == "DELETE":
            with lock:
                values.pop(self.path, None)
            self.answer(204)
        else:
            self.answer(200, values[self.path])

    do_GET = do_HEAD = do_PUT = do_DELETE = handle_any


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        pass


server = Server(("127.0.0.1", 0), Handler)
if "cert" in options:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options["cert"], options["key"])
    if "client-ca" in options:
        context.load_verify_locations(options["client-ca"])
        context.verify_mode = ssl.CERT_REQUIRED
    # Hands are shaken by each connection's thread, not by the one that accepts.
    server.socket = context.wrap_socket(server.socket, server_side=True,
                                        do_handshake_on_connect=False)
with open(sys.argv[1] + ".new", "w", encoding="ascii") as file:
    file.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
