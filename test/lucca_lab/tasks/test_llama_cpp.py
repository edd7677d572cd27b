"""The experiments with a real llama.cpp server whose model has random weights and answers with noise.

Slow, and needs `pip install -r requirements/soak.txt`, which compiles llama.cpp; LLAMA_PYTHON may name the Python of
another environment that has it.
"""

import json
import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from coordinator_node.call_parser import NotACall, read_call
from lucca_cli.main import app
from lucca_core.errors import ModelUnusable
from lucca_llm.model import ChatOptions, Message
from lucca_llm.model_spec import make_model
from worker_node.name_lists import read_list

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

PYTHON = os.environ.get('LLAMA_PYTHON', sys.executable)
SCRIPT = Path(__file__).parents[3] / 'laboratory' / 'scripts' / 'random_gguf.py'
START_S = 120.0


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    """Model spec of a server with a model that was never trained."""
    there = subprocess.run([PYTHON, '-c', 'import llama_cpp.server.app, gguf'], capture_output=True, check=False)
    if there.returncode:
        pytest.skip('llama-cpp-python[server] and gguf are not installed')
    folder = tmp_path_factory.mktemp('llama')
    subprocess.run([PYTHON, SCRIPT, folder / 'noise.gguf'], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = free.getsockname()[1]
    command = [PYTHON, '-m', 'llama_cpp.server', '--model', folder / 'noise.gguf', '--host', '127.0.0.1']
    command += ['--port', str(port), '--n_ctx', '32768', '--n_threads', '1', '--n_threads_batch', '1']
    with (folder / 'log').open('wb') as log:
        process = subprocess.Popen([*map(str, command)], stdout=log, stderr=log)
    try:
        _wait_for(f'http://127.0.0.1:{port}/v1/models', process, folder / 'log')
        yield f'openai:noise@http://127.0.0.1:{port}/v1'
    finally:
        process.terminate()
        process.wait(30)


def _wait_for(url, process, log):
    end_s = time.monotonic() + START_S
    while time.monotonic() < end_s:
        try:
            httpx.get(url, timeout=5)
            return
        except httpx.HTTPError:
            try:
                process.wait(0.2)
                break
            except subprocess.TimeoutExpired:
                continue
    pytest.fail(f'the server did not start: {log.read_text()[-2000:]}')


def run(server, out, *options):
    """The trials of one run of the command."""
    arguments = ['eval', 'tasks', '--coordinator', server, '--trials', '1', '--processes', '1', '--seed', '1']
    result = CliRunner().invoke(app, [*arguments, '--second-opinion', '--out', str(out), *options])
    assert result.exit_code == 0, result.output
    assert json.loads((out / 'summary.json').read_text())['ungated_actions'] == 0
    return [json.loads(line) for line in (out / 'results.jsonl').read_text().splitlines()]


def is_read(call):
    """Whether the stack could read one answer of the transcript."""
    asked, answer = call['asked'], call['answered']
    if call['to'] == 'worker' and 'Answer yes only' in asked:
        return answer.strip() in ('yes', 'no')
    if call['to'] == 'worker':
        return not read_list(answer, [name for name in answer.split(', ') if name in asked]).unknown
    if 'Question:' in asked and '<' not in answer:
        return bool(read_list(answer, []).unknown) or answer.strip() == 'none'
    try:
        read_call(answer, 2000)
    except NotACall:
        return False
    return True


def test_noise_ends_every_trial_with_a_reason(server, tmp_path):
    trials = run(server, tmp_path, '--no-grammar')
    assert len(trials) == 9
    for item in (item for trial in trials for item in trial['tasks']):
        assert (item['status'], item['performed']) == ('failed', [])
        assert 'wrong answers, the last:' in item['reason']


def test_every_answer_that_is_held_to_a_grammar_is_read(server, tmp_path):
    trials = run(server, tmp_path)
    calls = [call for trial in trials for call in trial['transcript']]
    assert len(calls) > 100
    assert [call for call in calls if 'error' in call or not is_read(call)] == []
    for item in (item for trial in trials for item in trial['tasks']):
        assert item['status'] == 'finished' or item['reason']


def test_a_schema_is_kept_in_the_form_that_this_server_knows(server):
    model = make_model(server)
    schema = {
        'type': 'object',
        'properties': {'action': {'enum': ['give', 'point']}, 'why': {'type': 'string', 'maxLength': 10}},
        'required': ['action', 'why'],
        'additionalProperties': False,
    }
    try:
        reply = model.chat([Message('user', 'What next?')], ChatOptions(json_schema=schema, max_tokens=100))
    finally:
        model.close()
    assert json.loads(reply.text)['action'] in ('give', 'point')


def test_a_prompt_that_is_too_long_is_refused_with_the_servers_words(server):
    """This server ends a stream without a word where the prompt does not fit."""
    model = make_model(server)
    try:
        with pytest.raises(ModelUnusable, match=r'does not fit its context .*32768 tokens'):
            model.chat([Message('user', 'pear ' * 8000)], ChatOptions())
    finally:
        model.close()


def test_models_that_are_checked_at_the_same_time_all_answer(server):
    """This server breaks off an answer when another request comes."""
    models = [make_model(server) for _ in range(2)]
    try:
        with ThreadPoolExecutor() as pool:
            list(pool.map(lambda model: model.check(60.0), models))
    finally:
        for model in models:
            model.close()
