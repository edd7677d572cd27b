"""A server of speech on this machine that answers as a test wants."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class SpeechServer:
    """Answers what the test sets, and keeps what it was asked."""

    def __init__(self):
        self.asked = []
        self.status, self.body, self.kind = 200, b'{}', 'application/json'
        self.headers = {}
        self.hang = threading.Event()
        self.hangs = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                outer.asked.append(
                    (self.path, dict(self.headers), self.rfile.read(int(self.headers['content-length'])))
                )
                if outer.hangs:
                    outer.hang.wait(20)
                self.send_response(outer.status)
                self.send_header('content-type', outer.kind)
                self.send_header('content-length', str(len(outer.body)))
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={'poll_interval': 0.01})
        self._thread.start()
        self.spec = f'whisper-1@http://127.0.0.1:{self._server.server_port}'

    def close(self):
        self.hang.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
