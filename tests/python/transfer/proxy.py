"""What stands between a server and its storage, and gets in the way when it is told to."""

import http.client
import http.server
import threading
import urllib.parse

ERROR = '<?xml version="1.0"?><Error><Code>{}</Code><Message>not today</Message></Error>'


class Fault:
    """What happens to requests, from the time it is asked for."""

    def __init__(self, kind, status=None, code=None):
        self.kind, self.status, self.code = kind, status, code

    def __repr__(self):
        return self.code or self.kind


CUT = Fault("cut")
HANG = Fault("hang")


def refusal(status, code):
    return Fault("refuse", status, code)


class Proxy:
    """Passes requests on to an S3 server until enough of one kind have passed."""

    def __init__(self, upstream):
        self.upstream = urllib.parse.urlsplit(upstream).netloc
        self.lock = threading.Lock()
        self.heal()
        self.released = threading.Event()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self):
                proxy.answer(self)

            do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                # Whoever was cut off has gone.
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def heal(self):
        """Lets everything pass from now on."""
        with self.lock:
            self.fault, self.method, self.part, self.left, self.first = None, None, "", 0, None
            self.met = False

    def fail(self, fault, method, part, after, first=None):
        """Lets so many requests of a method pass that have this in their path, and none then. The
        function is called when the first one does not."""
        with self.lock:
            self.fault, self.method, self.part, self.left = fault, method, part, after
            self.first, self.met = first, False

    def fault_of(self, request):
        with self.lock:
            if self.fault is None:
                return None
            if self.met:
                return self.fault
            if request.command != self.method or self.part not in request.path:
                return None
            self.left -= 1
            if self.left >= 0:
                return None
            self.met, first = True, self.first
        if first:
            first()
        return self.fault

    def answer(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length") or 0))
        fault = self.fault_of(request)
        kind = fault and fault.kind
        if kind == "refuse":
            text = ERROR.format(fault.code).encode()
            self.head(request, fault.status, [("Content-Type", "application/xml")], len(text))
            request.wfile.write(b"" if request.command == "HEAD" else text)
            return
        if kind and request.command != "GET":
            self.end(request, kind)
            return
        status, headers, content = self.upstream_answer(request, body)
        self.head(request, status, headers, len(content) if request.command != "HEAD" else None)
        if kind:
            # The beginning of an object is more dangerous than nothing.
            request.wfile.write(content[: len(content) // 2])
            request.wfile.flush()
            self.end(request, kind)
            return
        if request.command != "HEAD":
            request.wfile.write(content)

    def end(self, request, kind):
        if kind == "hang":
            self.released.wait()
        request.close_connection = True
        request.connection.close()

    def upstream_answer(self, request, body):
        upstream = http.client.HTTPConnection(self.upstream, timeout=60)
        try:
            upstream.putrequest(
                request.command, request.path, skip_host=True, skip_accept_encoding=True
            )
            # With the host that was signed.
            for name, value in request.headers.items():
                upstream.putheader(name, value)
            upstream.endheaders(body)
            answer = upstream.getresponse()
            content = answer.read()
            return answer.status, answer.getheaders(), content
        finally:
            upstream.close()

    def head(self, request, status, headers, length):
        request.send_response_only(status)
        for name, value in headers:
            if name.lower() in ("transfer-encoding", "connection"):
                continue
            if name.lower() == "content-length" and length is not None:
                continue
            request.send_header(name, value)
        if length is not None:
            request.send_header("Content-Length", str(length))
        request.end_headers()

    def stop(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()
