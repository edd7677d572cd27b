"""The OpenAI adapter against a real server: what it sends, what it reads, and how every failure comes out."""

import inspect
import json
import logging
import threading
import time

import httpx2
import openai
import pytest

from lucca_core.errors import ModelError, ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.model import ChatOptions, Message
from lucca_llm.openai_client import OpenAIModel
from lucca_llm.openai_errors import mapped_openai_error
from lucca_llm.secret import Secret

KEY = 'sk-test-0123456789abcdef'
SCHEMA = {'type': 'object', 'properties': {'objects': {'type': 'array'}}}
SHORT = ChatOptions(deadline_s=0.3)


@pytest.fixture
def model(server, monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', KEY)
    model = OpenAIModel('m', server.url)
    yield model
    model.close()


def test_streamed_pieces_arrive_one_by_one_and_make_the_answer(server, model, chat, options):
    server.answer = lambda handler, body: handler.openai_stream(['<give', '(', 'pear)>'])
    pieces = []
    reply = model.chat(chat, options, on_text=pieces.append)
    assert pieces == ['<give', '(', 'pear)>']
    assert reply.text == '<give(pear)>'
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (11, 7, 'stop')
    assert reply.model_s > 0


def test_messages_sampling_and_key_are_sent_as_asked(server, model, chat):
    model.chat(chat, ChatOptions(temperature=0.7, top_p=0.9, presence_penalty=0.5, seed=3, max_tokens=99))
    (request,) = server.chats
    assert request.path == '/v1/chat/completions'
    assert request.headers['authorization'] == f'Bearer {KEY}'
    assert request.body['messages'] == [{'role': m.role, 'content': m.content} for m in chat]
    sent = {name: request.body.get(name) for name in ('model', 'temperature', 'top_p', 'presence_penalty', 'seed')}
    assert sent == {'model': 'm', 'temperature': 0.7, 'top_p': 0.9, 'presence_penalty': 0.5, 'seed': 3}
    assert request.body['max_tokens'] == 99
    assert 'frequency_penalty' not in request.body


def test_a_server_that_does_not_stream_is_understood(server, model, chat, options):
    server.answer = lambda handler, body: handler.openai_whole('<give(pear)>')
    pieces = []
    reply = model.chat(chat, options, on_text=pieces.append)
    assert (reply.text, reply.completion_tokens, pieces) == ('<give(pear)>', 7, ['<give(pear)>'])


def test_tokens_are_estimated_where_the_server_does_not_count(server, model, chat, options):
    server.answer = lambda handler, body: handler.openai_stream(['<give(pear)>'], usage=False)
    reply = model.chat(chat, options)
    assert reply.prompt_tokens > 0
    assert reply.completion_tokens > 0


def test_thoughts_before_the_answer_are_dropped(server, model, chat, options):
    server.answer = lambda handler, body: handler.openai_stream(
        ['<think>perhaps <give(cup)>', '</think>\n<give(pear)>']
    )
    assert model.chat(chat, options).text == '<give(pear)>'


def test_chunks_with_nothing_in_them_are_passed_over(server, model, chat, options):
    def answer(handler, body):
        handler.start('text/event-stream')
        handler.write(': keep-alive\n\n')
        handler.sse({'choices': None})
        handler.sse({'choices': [{'index': 0, 'delta': None}]})
        handler.sse({'choices': [{'index': 0, 'delta': {'role': 'assistant', 'content': None}}]})
        handler.chunk('<give(pear)>')
        handler.chunk(finish_reason='stop')  # and no [DONE], which some servers leave out

    server.answer = answer
    assert model.chat(chat, options).text == '<give(pear)>'


def test_without_a_key_no_authorization_is_sent(server, chat, options, monkeypatch):
    monkeypatch.delenv('OPENAI_API_KEY', raising=False)
    monkeypatch.setenv('OPENAI_ADMIN_KEY', 'sk-admin')
    model = OpenAIModel('m', server.url)
    model.chat(chat, options)
    model.close()
    assert 'authorization' not in server.chats[0].headers


def test_an_openai_key_is_not_sent_in_the_clear_to_another_machine(monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', KEY)
    assert not OpenAIModel('m', 'http://192.0.2.1/v1')._key
    assert OpenAIModel('m', 'https://192.0.2.1/v1')._key
    monkeypatch.setenv('LUCCA_OPENAI_API_KEY', KEY)
    assert OpenAIModel('m', 'http://192.0.2.1/v1')._key


def test_an_empty_chat_is_the_callers_mistake(model, options):
    with pytest.raises(ValueError, match='at least one message'):
        model.chat([], options)


@pytest.mark.parametrize('status', [401, 403, 404, 400, 422])
def test_a_refusal_that_stays_is_unusable(server, model, chat, options, status):
    server.answer = lambda handler, body: handler.openai_error(status, 'no such thing')
    with pytest.raises(ModelUnusable, match=f'HTTP {status}.*no such thing'):
        model.chat(chat, options)
    assert len(server.chats) == 1


@pytest.mark.parametrize('status', [408, 409, 429, 500, 502, 503, 529])
def test_a_failure_that_passes_is_retryable_and_is_not_repeated_by_the_client(server, model, chat, options, status):
    server.answer = lambda handler, body: handler.openai_error(status, 'busy')
    with pytest.raises(ModelRetryable, match=f'HTTP {status}: busy'):
        model.chat(chat, options)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    ('header', 'value', 'wanted_s'),
    [('Retry-After', '7', 7.0), ('retry-after-ms', '1500', 1.5), ('Retry-After', 'soon', None)],
)
def test_retry_after_reaches_the_caller(server, model, chat, options, header, value, wanted_s):
    server.answer = lambda handler, body: handler.openai_error(429, 'slow down', {header: value})
    with pytest.raises(ModelRetryable) as caught:
        model.chat(chat, options)
    assert caught.value.retry_after_s == wanted_s


def test_retry_after_a_date_in_the_past_is_now(server, model, chat, options):
    date = {'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT'}
    server.answer = lambda handler, body: handler.openai_error(429, 'slow down', date)
    with pytest.raises(ModelRetryable) as caught:
        model.chat(chat, options)
    assert caught.value.retry_after_s == 0.0


def test_a_used_up_quota_is_unusable(server, model, chat, options):
    server.answer = lambda handler, body: handler.openai_error(429, 'pay first', code='insufficient_quota')
    with pytest.raises(ModelUnusable, match='no quota'):
        model.chat(chat, options)


@pytest.mark.parametrize(
    'fields',
    [
        {'message': "This model's maximum context length is 4096 tokens", 'code': 'context_length_exceeded'},
        {'message': 'request (9000 tokens) exceeds the available context size', 'type': 'exceed_context_size_error'},
        {'message': 'prompt is too long'},
    ],
)
def test_a_prompt_that_does_not_fit_is_unusable_and_says_so(server, model, chat, options, fields):
    server.answer = lambda handler, body: handler.whole(400, {'error': {'type': 'invalid_request_error', **fields}})
    with pytest.raises(ModelUnusable, match='does not fit its context'):
        model.chat(chat, options)


def test_an_error_in_the_middle_of_a_stream_is_retryable(server, model, chat, options):
    def answer(handler, body):
        handler.start('text/event-stream')
        handler.chunk('<gi')
        handler.sse({'error': {'message': 'worker died', 'code': 500}})

    server.answer = answer
    with pytest.raises(ModelRetryable, match='worker died'):
        model.chat(chat, options)


@pytest.mark.parametrize(
    'answer',
    [
        pytest.param(lambda h, _: h.reset(), id='reset before headers'),
        pytest.param(lambda h, _: (h.start('text/event-stream'), h.chunk('<gi'), h.reset()), id='reset in the stream'),
        pytest.param(lambda h, _: (h.start('text/event-stream'), h.chunk('<gi')), id='stream ends without a finish'),
        pytest.param(lambda h, _: (h.start('text/event-stream'), h.write('data: {"choi')), id='truncated event'),
        pytest.param(lambda h, _: (h.start('text/event-stream'), h.write('data: {"choi\n\n')), id='broken event'),
        pytest.param(
            lambda h, _: (h.start('text/event-stream'), h.write('data: [1, 2]\n\n')), id='event of other shape'
        ),
        pytest.param(lambda h, _: (h.start('text/event-stream'), h.wfile.write(b'data: \xff\xfe\n\n')), id='not UTF-8'),
        pytest.param(lambda h, _: h.start('text/event-stream'), id='empty stream'),
        pytest.param(lambda h, _: h.whole(200, b'{"choices": [{"mess', cut=40), id='fewer bytes than promised'),
        pytest.param(lambda h, _: h.whole(200, b'{"choices": [{"mess'), id='truncated JSON'),
        pytest.param(lambda h, _: h.whole(200, {'choices': []}), id='no choice'),
        pytest.param(lambda h, _: h.whole(200, [1]), id='JSON of other shape'),
        pytest.param(lambda h, _: h.wfile.write(b'not HTTP at all\r\n\r\n'), id='not HTTP'),
        pytest.param(lambda h, _: h.whole(502, b'<html>bad gateway'), id='HTML error'),
    ],
)
def test_a_broken_answer_is_retryable(server, model, chat, options, answer):
    server.answer = answer
    with pytest.raises(ModelRetryable) as caught:
        model.chat(chat, options)
    assert not isinstance(caught.value, ModelTimeout)
    assert str(caught.value).startswith('openai:m@http://127.0.0.1')


def test_a_server_that_is_not_there_is_retryable(server, chat, options):
    with pytest.raises(ModelRetryable, match='connection failed'):
        OpenAIModel('m', 'http://127.0.0.1:9/v1').chat(chat, options)


def test_redirects_are_not_followed(server, model, chat, options):
    server.answer = lambda handler, body: handler.whole(307, {}, {'Location': 'http://192.0.2.1/v1/chat/completions'})
    with pytest.raises(ModelUnusable, match='redirects are not followed'):
        model.chat(chat, options)


def _answers_after_two_seconds(handler, body):
    handler.stall(2.0)
    handler.openai_stream(['late'])


def _stalls_in_the_stream(handler, body):
    handler.start('text/event-stream')
    handler.chunk('<gi')
    handler.stall()


def _trickles(handler, body):
    handler.start('text/event-stream')
    while not handler.server.model_server.over.wait(0.05):
        handler.write(':')


def _trickles_headers(handler, body):
    handler.wfile.write(b'HTTP/1.1 200 OK\r\n')
    while not handler.server.model_server.over.wait(0.05):
        handler.write('X-A: b\r\n')


@pytest.mark.parametrize('answer', [_answers_after_two_seconds, _stalls_in_the_stream, _trickles, _trickles_headers])
def test_the_deadline_is_kept_and_the_connection_closed(server, model, chat, answer):
    server.answer = answer
    started_s = time.monotonic()
    with pytest.raises(ModelTimeout, match=r'within 0\.3 s'):
        model.chat(chat, SHORT)
    assert 0.25 < time.monotonic() - started_s < 1.5
    if answer is not _answers_after_two_seconds and answer is not _stalls_in_the_stream:
        assert server.client_left.wait(5.0)


def test_a_model_works_again_after_a_timeout(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    with pytest.raises(ModelTimeout):
        model.chat(chat, SHORT)
    server.answer = lambda handler, body: handler.openai_stream(['<give(pear)>'])
    assert model.chat(chat, options).text == '<give(pear)>'


def test_a_cancel_in_mid_call_ends_it(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    heard = []
    started_s = time.monotonic()
    with pytest.raises(ModelRetryable, match='cancelled'):
        model.chat(chat, options, on_text=heard.append, cancelled=lambda: bool(heard))
    assert time.monotonic() - started_s < 5


def test_an_error_of_the_callers_on_text_comes_back_to_the_caller(server, model, chat, options):
    server.answer = _stalls_in_the_stream
    with pytest.raises(KeyError, match='mine'):
        model.chat(chat, options, on_text=lambda text: {}['mine'])


def test_an_endless_answer_is_cut_off(server, model, chat):
    def answer(handler, body):
        handler.start('text/event-stream')
        while True:
            handler.chunk('x' * 1000)

    server.answer = answer
    reply = model.chat(chat, ChatOptions(max_tokens=10, deadline_s=20))
    assert reply.finish_reason == 'length'
    assert len(reply.text) < 10_000


@pytest.mark.parametrize('refusal', [400, 500])
def test_a_refused_schema_is_asked_for_in_simpler_forms_and_the_form_is_remembered(server, model, chat, refusal):
    def answer(handler, body):
        if 'response_format' in body and body['response_format']['type'] == 'json_schema':
            handler.openai_error(refusal, 'cannot do that')
        else:
            handler.openai_stream(['{}'])

    server.answer = answer
    options = ChatOptions(json_schema=SCHEMA)
    model.chat(chat, options)
    model.chat(chat, options)
    forms = [request.body['response_format'] for request in server.chats]
    assert [form['type'] for form in forms] == ['json_schema', 'json_object', 'json_object']
    assert forms[1]['schema'] == SCHEMA


def test_a_server_that_refuses_every_form_of_schema_is_asked_without(server, model, chat):
    def answer(handler, body):
        if 'response_format' in body:
            handler.openai_error(400, 'unsupported')
        else:
            handler.openai_stream(['{}'])

    server.answer = answer
    assert model.chat(chat, ChatOptions(json_schema=SCHEMA)).text == '{}'
    assert len(server.chats) == 3


def test_a_server_error_beside_a_schema_is_not_taken_for_a_refusal_for_ever(server, model, chat):
    options = ChatOptions(json_schema=SCHEMA)
    server.answer = lambda handler, body: handler.openai_error(500, 'ill today')
    with pytest.raises(ModelRetryable, match='ill today'):
        model.chat(chat, options)
    server.answer = lambda handler, body: handler.openai_stream(['{}'])
    model.chat(chat, options)
    assert server.chats[-1].body['response_format']['type'] == 'json_schema'


def test_parameters_that_a_server_refuses_are_left_out_or_renamed(server, model, chat):
    def answer(handler, body):
        if 'max_tokens' in body:
            handler.openai_error(400, "'max_tokens' is not supported; use 'max_completion_tokens'", param='max_tokens')
        elif 'temperature' in body:
            handler.openai_error(400, "Unsupported value: 'temperature'", param='temperature')
        elif 'stream_options' in body:
            handler.openai_error(422, 'extra fields not permitted: stream_options')
        else:
            handler.openai_stream(['ok'])

    server.answer = answer
    model.chat(chat, ChatOptions(max_tokens=50))
    assert server.chats[-1].body['max_completion_tokens'] == 50
    model.chat(chat, ChatOptions(max_tokens=50))
    assert len(server.chats) == 5


def test_a_grammar_is_sent_and_dropped_where_it_is_refused(server, model, chat):
    def answer(handler, body):
        if 'grammar' in body:
            handler.openai_error(400, 'unknown field')
        else:
            handler.openai_stream(['ok'])

    server.answer = answer
    assert model.chat(chat, ChatOptions(grammar='root ::= "ok"')).text == 'ok'
    assert server.chats[0].body['grammar'] == 'root ::= "ok"'
    assert 'grammar' not in server.chats[1].body


def test_check_asks_for_a_word(server, model):
    model.check(20.0)
    assert len(server.chats) == 1


def _shown(error):
    texts = []
    while error is not None:
        texts += [str(error), repr(error)]
        error = error.__cause__ or error.__context__
    return '\n'.join(texts)


@pytest.mark.parametrize(
    'answer',
    [
        pytest.param(lambda h, _: h.openai_stream(['ok']), id='answer'),
        pytest.param(lambda h, _: h.openai_error(401, f'Incorrect API key provided: {KEY}'), id='401 with the key'),
        pytest.param(lambda h, _: h.openai_error(500, f'failed with {KEY}'), id='500 with the key'),
        pytest.param(lambda h, _: h.whole(200, {'error': f'bad {KEY}'}), id='200 with the key'),
        pytest.param(lambda h, _: (h.start('text/event-stream'), h.sse({'error': {'message': KEY}})), id='stream'),
        pytest.param(lambda h, _: h.reset(), id='reset'),
    ],
)
def test_the_key_is_in_no_error_log_or_text_form(server, model, chat, options, answer, caplog):
    server.answer = answer
    with caplog.at_level(logging.DEBUG):
        for name in ('openai', 'httpx', 'httpx2', 'httpcore', 'httpcore2', 'asyncio'):
            caplog.set_level(logging.DEBUG, logger=name)
        shown = ''
        try:
            model.chat(chat, options)
        except ModelError as error:
            shown = _shown(error)
        # A formatted traceback prints every value in the chain, too.
        logging.getLogger('test').info('%s %r %s', model.spec, model, vars(model))
    assert server.chats[0].headers['authorization'] == f'Bearer {KEY}'
    assert KEY not in shown
    assert KEY not in caplog.text
    assert all(KEY not in str(record.args) for record in caplog.records)


def test_a_key_that_no_header_can_carry_is_refused_without_being_shown(server, monkeypatch):
    monkeypatch.setenv('OPENAI_API_KEY', 'sk-“quoted”')
    with pytest.raises(ModelUnusable, match='OPENAI_API_KEY') as caught:
        OpenAIModel('m', server.url)
    assert 'quoted' not in _shown(caught.value)


def _all_vendor_exceptions():
    kinds = {
        kind
        for module in (openai, openai._exceptions)
        for kind in list(vars(module).values())
        if inspect.isclass(kind)
        and issubclass(kind, Exception)
        and kind.__module__.startswith('openai')
        and not kind.__name__.startswith('_')
    }
    return sorted(kinds, key=lambda kind: kind.__name__)


def _instance(kind):
    request = httpx2.Request('POST', 'http://127.0.0.1/v1')
    status = getattr(kind, 'status_code', None)
    response = httpx2.Response(status if isinstance(status, int) else 500, request=request, json={})
    candidates = [
        lambda: kind('said', response=response, body=None),
        lambda: kind(response=response, body=None),
        lambda: kind('said', request, body=None),
        lambda: kind(message='said', request=request),
        lambda: kind(request=request),
        lambda: kind(request),
        lambda: kind(completion=openai.types.chat.ChatCompletion.model_construct(usage=None)),
        lambda: kind('said', unsent_messages=[]),
        lambda: kind('said'),
    ]
    for candidate in candidates:
        try:
            return candidate()
        except (TypeError, AttributeError):
            continue
    raise AssertionError(f'no way to make a {kind.__name__}')


UNUSABLE = {
    openai.AuthenticationError,
    openai.BadRequestError,
    openai.ContentFilterFinishReasonError,
    openai.NotFoundError,
    openai.OAuthError,
    openai.PermissionDeniedError,
    openai.UnprocessableEntityError,
}


@pytest.mark.parametrize('kind', _all_vendor_exceptions(), ids=lambda kind: kind.__name__)
def test_every_exception_of_the_client_is_mapped(kind):
    mapped = mapped_openai_error(_instance(kind), 'openai:m@u', Secret(''))
    if kind is openai.APITimeoutError:
        assert type(mapped) is ModelTimeout
    else:
        assert type(mapped) is (ModelUnusable if kind in UNUSABLE else ModelRetryable)
    assert str(mapped).startswith('openai:m@u')


def test_an_answer_in_json_that_quotes_the_prompt_is_read_as_text(server, model, options):
    text = json.dumps({'objects': ['pear', 'ümlaut', '"']})
    server.answer = lambda handler, body: handler.openai_stream(list(text))
    assert model.chat([Message('user', 'hi')], options).text == text


def test_calls_of_several_threads_do_not_mix(server, model, options):
    server.answer = lambda handler, body: handler.openai_stream(list(body['messages'][-1]['content']))
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
