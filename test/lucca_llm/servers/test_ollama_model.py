"""OllamaModel with a real server: context, requests, answers and errors."""

import inspect
import logging
import threading
import time

import httpx
import ollama
import pytest

from lucca_core.errors import ModelError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.config import OllamaConfig
from lucca_llm.limits.tokens import estimate_prompt_tokens
from lucca_llm.model import ChatOptions, Message
from lucca_llm.servers.ollama_errors import mapped_ollama_error
from lucca_llm.servers.ollama_model import OllamaModel
from lucca_llm.servers.secret import Secret

KEY = 'olla-test-0123456789abcdef'


@pytest.fixture
def model(server, monkeypatch):
    monkeypatch.setenv('OLLAMA_API_KEY', KEY)
    server.answer = lambda handler, body: handler.ollama_stream(['<give', '(pear)>'])
    model = OllamaModel('m:1b', server.url)
    yield model
    model.close()


def _prompt(tokens):
    message = Message('user', 'pear ' * (tokens - 4))
    assert estimate_prompt_tokens([message]) == tokens
    return [message]


def test_streamed_pieces_arrive_one_by_one_and_make_the_answer(model, chat, options):
    pieces = []
    reply = model.chat(chat, options, on_text=pieces.append)
    assert len(pieces) == 2
    assert ''.join(pieces) == '<give(pear)>'
    assert (reply.text, reply.prompt_tokens, reply.completion_tokens) == ('<give(pear)>', 11, 7)


def test_messages_sampling_and_schema_are_sent_as_asked(server, model, chat):
    schema = {'type': 'object'}
    model.chat(chat, ChatOptions(temperature=0.7, top_p=0.9, seed=3, max_tokens=99, json_schema=schema))
    (request,) = server.chats
    assert request.body['model'] == 'm:1b'
    assert request.body['messages'] == [{'role': m.role, 'content': m.content} for m in chat]
    assert request.body['format'] == schema
    sent = {name: request.body['options'][name] for name in ('temperature', 'top_p', 'seed', 'num_predict')}
    assert sent == {'temperature': 0.7, 'top_p': 0.9, 'seed': 3, 'num_predict': 99}
    assert 'think' not in request.body


def test_the_context_holds_the_prompt_and_the_answer_in_steps(server, model):
    for tokens in (50, 1400, 3000, 50):
        server.answer = lambda handler, body, tokens=tokens: handler.ollama_stream(['ok'], prompt_eval_count=tokens)
        model.chat(_prompt(tokens), ChatOptions(max_tokens=256))
    sizes = [request.body['options']['num_ctx'] for request in server.chats]
    assert sizes == [2048, 4096, 6144, 6144], 'a smaller one would make Ollama load the model again'


def test_the_context_never_exceeds_the_models_own(server, model):
    server.answer = lambda handler, body: handler.ollama_stream(['ok'], prompt_eval_count=6000)
    model.chat(_prompt(6000), ChatOptions(max_tokens=1000))
    assert server.chats[0].body['options']['num_ctx'] == 8192


def test_what_cannot_fit_is_refused_before_it_is_sent(server, model):
    with pytest.raises(ModelUnusable, match=r'about 8000 tokens and 256 for the answer, of 8192; nothing was sent'):
        model.chat(_prompt(8000), ChatOptions(max_tokens=256))
    assert server.chats == []


def test_a_prompt_that_the_server_cut_is_an_error(server, model):
    server.answer = lambda handler, body: handler.ollama_stream(['ok'], prompt_eval_count=2500)
    with pytest.raises(ModelUnusable, match='the prompt was cut to fit: the server read 2500 tokens of about 7500'):
        model.chat(_prompt(7500), ChatOptions(max_tokens=256))


def test_a_prompt_that_fills_the_context_is_an_error(server, model, chat, options):
    server.answer = lambda handler, body: handler.ollama_stream(['ok'], prompt_eval_count=2048)
    with pytest.raises(ModelUnusable, match='the prompt was cut'):
        model.chat(chat, options)


def test_the_margin_grows_with_what_the_server_counts(server, model):
    server.answer = lambda handler, body: handler.ollama_stream(['ok'], prompt_eval_count=1900, eval_count=1)
    model.chat(_prompt(950), ChatOptions(max_tokens=10))
    server.answer = lambda handler, body: handler.ollama_stream(['ok'], prompt_eval_count=2200, eval_count=1)
    model.chat(_prompt(1000), ChatOptions(max_tokens=10))
    assert [request.body['options']['num_ctx'] for request in server.chats] == [2048, 4096]


def test_a_model_that_does_not_tell_its_context_gets_the_fallback(server, chat):
    server.show = lambda handler, body: handler.whole(200, {'model_info': {}})
    model = OllamaModel('m', server.url, OllamaConfig(context_step=1024, fallback_context=4096))
    with pytest.raises(ModelUnusable, match='of 4096'):
        model.chat(_prompt(4096), ChatOptions())
    model.close()


def test_a_model_that_can_think_is_asked_not_to(server, model, chat, options):
    server.show = lambda handler, body: handler.whole(200, {'model_info': {}, 'capabilities': ['thinking']})
    model.chat(chat, options)
    assert server.chats[0].body['think'] is False


def test_the_model_is_looked_up_once(server, model, chat, options):
    model.chat(chat, options)
    model.chat(chat, options)
    assert [request.path for request in server.requests] == ['/api/show', '/api/chat', '/api/chat']


def test_a_missing_model_names_the_command_that_fetches_it(server, model, chat, options):
    server.show = lambda handler, body: handler.whole(404, {'error': "model 'm:1b' not found"})
    with pytest.raises(ModelUnusable, match='`ollama pull m:1b`'):
        model.chat(chat, options)


@pytest.mark.parametrize('body', [{'detail': 'Not Found'}, b'404 page not found', b'<html>nginx'])
@pytest.mark.parametrize('status', [404, 405])
def test_a_server_that_is_not_ollama_is_not_told_to_fetch_the_model(server, model, chat, options, status, body):
    server.show = lambda handler, _: handler.whole(status, body)
    with pytest.raises(ModelUnusable, match=f'HTTP {status}: this is not the URL of an Ollama server') as caught:
        model.chat(chat, options)
    assert 'pull' not in str(caught.value)


def test_a_key_that_is_refused_names_the_variables(server, model, chat, options):
    server.show = lambda handler, body: handler.whole(401, {'error': 'unauthorized', 'signin_url': 'https://o/x'})
    with pytest.raises(ModelUnusable, match=r'HTTP 401: .*OLLAMA_API_KEY .*`ollama signin`.*: unauthorized$'):
        model.chat(chat, options)


def test_a_server_with_cloud_models_turned_off_does_not_blame_the_key_alone(server, model, chat, options):
    server.show = lambda handler, body: handler.whole(403, {'error': 'ollama cloud is disabled'})
    with pytest.raises(ModelUnusable, match=r'HTTP 403: it does not allow this model, .*: ollama cloud is disabled$'):
        model.chat(chat, options)


def test_https_to_a_server_without_it_says_so(server, chat, options):
    model = OllamaModel('m', server.url.replace('http:', 'https:'))
    with pytest.raises(ModelUnusable, match='does not speak https; write http://'):
        model.chat(chat, options)
    model.close()


@pytest.mark.parametrize(
    'refuse',
    [
        lambda h: h.whole(400, {'error': 'json: cannot unmarshal object into field ChatRequest.format of type string'}),
        lambda h: (h.start('application/x-ndjson'), h.line({'error': "response_format: should be 'json_object'"})),
    ],
    ids=['before', 'in the stream'],
)
def test_a_server_that_takes_no_schema_is_asked_without(server, model, chat, refuse):
    server.answer = lambda handler, body: refuse(handler) if 'format' in body else handler.ollama_stream(['{}'])
    options = ChatOptions(json_schema={'type': 'object'})
    assert [model.chat(chat, options).text for _ in range(2)] == ['{}', '{}']
    assert ['format' in request.body for request in server.chats] == [True, False, False]


def test_a_missing_field_is_named(server, model, chat, options):
    def answer(handler, body):
        handler.start('application/x-ndjson')
        handler.line({'model': 'm', 'response': 'ok', 'done': False})

    server.answer = answer
    with pytest.raises(ModelRetryable, match=r'unreadable answer \(ValidationError: message: Field required, got'):
        model.chat(chat, options)


@pytest.mark.parametrize('status', [400, 401, 403, 404])
def test_a_refusal_that_stays_is_unusable(server, model, chat, options, status):
    server.answer = lambda handler, body: handler.whole(status, {'error': 'no'})
    with pytest.raises(ModelUnusable):
        model.chat(chat, options)


@pytest.mark.parametrize('status', [429, 500, 503])
def test_a_failure_that_passes_is_retryable(server, model, chat, options, status):
    server.answer = lambda handler, body: handler.whole(status, {'error': 'busy'}, {'Retry-After': '7'})
    with pytest.raises(ModelRetryable, match='busy') as caught:
        model.chat(chat, options)
    assert caught.value.retry_after_s == 7


def test_one_calls_retry_after_is_not_anothers(server, model, chat, options):
    server.answer = lambda handler, body: handler.whole(429, {'error': 'busy'}, {'Retry-After': '7'})
    with pytest.raises(ModelRetryable):
        model.chat(chat, options)
    server.answer = lambda handler, body: handler.reset()
    with pytest.raises(ModelRetryable) as caught:
        model.chat(chat, options)
    assert caught.value.retry_after_s is None


@pytest.mark.parametrize(
    ('said', 'match'),
    [
        ('the input length exceeds the context length', 'does not fit its context'),
        ('model requires more system memory (9 GiB) than is available', 'too little memory'),
    ],
)
def test_a_server_that_says_why_is_quoted(server, model, chat, options, said, match):
    server.answer = lambda handler, body: handler.whole(500, {'error': said})
    with pytest.raises(ModelUnusable, match=match):
        model.chat(chat, options)


@pytest.mark.parametrize(
    'answer',
    [
        pytest.param(lambda h, _: h.reset(), id='reset before headers'),
        pytest.param(
            lambda h, _: (h.start('application/x-ndjson'), h.part('<gi'), h.reset()), id='reset in the stream'
        ),
        pytest.param(lambda h, _: (h.start('application/x-ndjson'), h.part('<gi')), id='stream ends before done'),
        pytest.param(lambda h, _: (h.start('application/x-ndjson'), h.write('{"message": {"rol')), id='truncated'),
        pytest.param(lambda h, _: (h.start('application/x-ndjson'), h.line([1])), id='line of other shape'),
        pytest.param(lambda h, _: (h.start('application/x-ndjson'), h.line({'error': 'runner died'})), id='error line'),
        pytest.param(lambda h, _: (h.start('application/x-ndjson'), h.wfile.write(b'\xff\xfe\n')), id='not UTF-8'),
        pytest.param(lambda h, _: h.start('application/x-ndjson'), id='empty stream'),
        pytest.param(lambda h, _: h.wfile.write(b'not HTTP at all\r\n\r\n'), id='not HTTP'),
        pytest.param(lambda h, _: h.whole(502, b'<html>bad gateway'), id='HTML error'),
        pytest.param(lambda h, _: h.whole(500, [1]), id='error of other shape'),
    ],
)
def test_a_broken_answer_is_retryable(server, model, chat, options, answer):
    server.answer = answer
    with pytest.raises(ModelRetryable) as caught:
        model.chat(chat, options)
    assert not isinstance(caught.value, ModelTimeout)


def test_a_web_page_is_called_one(server, model, chat, options):
    server.answer = lambda handler, _: (handler.start('text/html'), handler.write('<html>sign in'))
    with pytest.raises(ModelRetryable, match='answered with a web page: a proxy or another program is at this URL'):
        model.chat(chat, options)


@pytest.mark.parametrize('document', [b'{"model_in', [1], {}], ids=['truncated', 'other shape', 'nothing in it'])
def test_a_broken_description_of_the_model_is_retryable(server, model, chat, options, document):
    server.show = lambda handler, body: handler.whole(200, document)
    with pytest.raises(ModelRetryable, match='unreadable answer'):
        model.chat(chat, options)


def test_a_server_that_is_not_there_is_retryable_and_says_what_to_start(chat, options):
    with pytest.raises(ModelRetryable, match='ollama serve'):
        OllamaModel('m', 'http://127.0.0.1:9').chat(chat, options)


def _answers_after_two_seconds(handler, body):
    handler.stall(2.0)
    handler.ollama_stream(['late'])


def _stalls_in_the_stream(handler, body):
    handler.start('application/x-ndjson')
    handler.part('<gi')
    handler.stall()


def _trickles(handler, body):
    handler.start('application/x-ndjson')
    while not handler.server.model_server.over.wait(0.05):
        handler.write(' ')


@pytest.mark.parametrize('answer', [_answers_after_two_seconds, _stalls_in_the_stream, _trickles])
def test_the_deadline_is_kept(server, model, chat, answer):
    server.answer = answer
    started_s = time.monotonic()
    with pytest.raises(ModelTimeout, match=r'within 0\.3 s'):
        model.chat(chat, ChatOptions(deadline_s=0.3))
    assert 0.25 < time.monotonic() - started_s < 1.5
    if answer is _trickles:
        assert server.client_left.wait(5.0)


def test_the_deadline_holds_for_the_look_up_too(server, model, chat):
    server.show = lambda handler, body: handler.stall()
    with pytest.raises(ModelTimeout):
        model.chat(chat, ChatOptions(deadline_s=0.3))


def test_a_cancel_in_mid_call_ends_it(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    heard = []
    with pytest.raises(ModelRetryable, match='cancelled'):
        model.chat(chat, options, on_text=heard.append, cancelled=lambda: bool(heard))


def test_an_endless_answer_is_cut_off(server, model, chat):
    def answer(handler, body):
        handler.start('application/x-ndjson')
        while True:
            handler.part('x' * 1000)

    server.answer = answer
    reply = model.chat(chat, ChatOptions(max_tokens=10, deadline_s=20))
    assert reply.finish_reason == 'length'


def test_check_loads_the_model_and_asks_for_a_word(server, model):
    model.check(20.0)
    assert [request.path for request in server.requests] == ['/api/show', '/api/chat']


@pytest.mark.parametrize(
    'answer',
    [
        pytest.param(lambda h, _: h.ollama_stream(['ok']), id='answer'),
        pytest.param(lambda h, _: h.whole(401, {'error': f'bad key {KEY}'}), id='401 with the key'),
        pytest.param(lambda h, _: (h.start('application/x-ndjson'), h.line({'error': KEY})), id='stream'),
    ],
)
def test_the_key_is_in_no_error_log_or_text_form(server, model, chat, options, answer, caplog):
    server.answer = answer
    with caplog.at_level(logging.DEBUG):
        for name in ('httpx', 'httpcore', 'asyncio'):
            caplog.set_level(logging.DEBUG, logger=name)
        shown = ''
        try:
            model.chat(chat, options)
        except ModelError as error:
            chain = error
            while chain is not None:
                shown += f'{chain} {chain!r}'
                chain = chain.__cause__ or chain.__context__
        logging.getLogger('test').info('%s %r %s', model.spec, model, vars(model))
    assert server.chats[0].headers['authorization'] == f'Bearer {KEY}'
    assert KEY not in shown
    assert KEY not in caplog.text


def _all_vendor_exceptions():
    kinds = {
        kind
        for module in (ollama, httpx)
        for kind in list(vars(module).values())
        if inspect.isclass(kind) and issubclass(kind, Exception)
    }
    return sorted(kinds | {ConnectionError, ValueError}, key=lambda kind: kind.__name__)


def _instance(kind):
    request = httpx.Request('POST', 'http://127.0.0.1')
    candidates = [
        lambda: kind('said', request=request, response=httpx.Response(500, request=request)),
        lambda: kind('said', request=request),
        lambda: kind('said', 500),
        lambda: kind('said'),
        lambda: kind(),
    ]
    for candidate in candidates:
        try:
            return candidate()
        except TypeError:
            continue
    raise AssertionError(f'no way to make a {kind.__name__}')


@pytest.mark.parametrize('kind', _all_vendor_exceptions(), ids=lambda kind: kind.__name__)
def test_every_exception_of_the_client_is_mapped(kind):
    mapped = mapped_ollama_error(_instance(kind), 'ollama:m@u', 'm', Secret(''))
    if issubclass(kind, httpx.TimeoutException):
        assert type(mapped) is ModelTimeout
    elif kind in (ollama.RequestError, httpx.InvalidURL):
        assert type(mapped) is ModelUnusable
    else:
        assert type(mapped) is ModelRetryable
    assert str(mapped).startswith('ollama:m@u')


def test_calls_of_several_threads_do_not_mix(server, model, options):
    server.answer = lambda handler, body: handler.ollama_stream(list(body['messages'][-1]['content']))
    replies = {}

    def ask(index):
        heard = []
        text = model.chat([Message('user', f'answer {index}')], options, on_text=heard.append).text
        replies[index] = (text, ''.join(heard))

    threads = [threading.Thread(target=ask, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == {index: (f'answer {index}', f'answer {index}') for index in range(8)}
