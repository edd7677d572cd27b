"""The loop of a local model's process: one request is computed, others wait, and each may be cancelled."""

import json
import subprocess
import sys

PROGRAM = """
import sys, threading
from lucca_core.errors import ModelRetryable
from lucca_llm.local.serve import Server

class Engine:
    def answer(self, request, on_text, cancelled):
        on_text('begun')
        while not cancelled():
            threading.Event().wait(0.005)
        raise ModelRetryable('the call was cancelled')

Server(Engine(), sys.stdin.buffer, sys.stdout.buffer).run()
"""
CHAT = {'messages': [], 'choices': [], 'temperature': 0.0, 'top_p': 1.0, 'max_tokens': 9}


def test_a_request_that_is_cancelled_while_it_waits_is_answered_while_another_is_computed():
    with subprocess.Popen(
        [sys.executable, '-c', PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def send(**message):
            process.stdin.write(json.dumps(message) + '\n')
            process.stdin.flush()

        def told():
            return json.loads(process.stdout.readline())

        send(id=1, chat=CHAT)
        assert told() == {'id': 1, 'text': 'begun'}
        send(id=2, chat=CHAT)
        send(cancel=2)
        gone = {'error': {'kind': 'ModelRetryable', 'message': 'the call was cancelled'}}
        assert told() == {'id': 2, **gone}
        send(cancel=1)
        assert told() == {'id': 1, **gone}
        send(id=3, chat=CHAT)
        assert told() == {'id': 3, 'text': 'begun'}
        process.stdin.close()
        assert process.wait(20) == 0
