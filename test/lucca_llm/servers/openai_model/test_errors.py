"""Errors of OpenAIModel for every failure of a server and every exception of the client."""

import httpx2
import openai
import pytest

from lucca_core.errors import ModelRetryable, ModelTimeout, ModelUnusable
from lucca_llm.servers.openai_errors import mapped_openai_error
from lucca_llm.servers.openai_model import OpenAIModel
from lucca_llm.servers.secret import Secret


@pytest.mark.parametrize('status', [401, 403, 404, 400, 422])
def test_a_refusal_that_stays_is_unusable(server, model, chat, options, status):
    server.answer = lambda handler, body: handler.openai_error(status, 'no such thing')
    with pytest.raises(ModelUnusable, match=f'HTTP {status}.*no such thing'):
        model.chat(chat, options)
    assert len(server.chats) == 1


@pytest.mark.parametrize(
    'body',
    [
        pytest.param({'detail': 'Invalid API key'}, id='FastAPI'),
        pytest.param({'detail': [{'loc': ['body', 'model'], 'msg': 'Invalid API key'}]}, id='FastAPI, a list'),
        pytest.param({'error': 'Invalid API key', 'error_type': 'auth'}, id='error is a text'),
        pytest.param({'object': 'error', 'message': 'Invalid API key', 'code': 401}, id='vLLM before 0.10'),
        pytest.param({'message': {'detail': [{'msg': 'Invalid API key'}]}}, id='nested'),
        pytest.param(b'Invalid API key', id='plain text'),
    ],
)
def test_the_words_of_a_server_are_quoted_whatever_their_form(server, model, chat, options, body):
    server.answer = lambda handler, _: handler.whole(401, body)
    with pytest.raises(ModelUnusable, match=r'HTTP 401: it does not accept the key.*Invalid API key'):
        model.chat(chat, options)


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


@pytest.mark.parametrize('end', [lambda h: None, lambda h: h.write('data: [DONE]\n\n'), lambda h: h.reset()])
def test_a_stream_that_ends_without_a_word_is_asked_for_the_reason(server, model, chat, options, end):
    def answer(handler, body):
        if body['stream']:
            handler.start('text/event-stream')
            end(handler)
        else:
            handler.openai_error(400, "This model's maximum context length is 2048 tokens")

    server.answer = answer
    with pytest.raises(ModelUnusable, match=r'does not fit its context.* 2048 tokens'):
        model.chat(chat, options)
    assert ['stream_options' in request.body for request in server.chats] == [True, False]


def test_a_stream_that_ends_without_a_word_is_answered_whole(server, model, chat, options):
    server.answer = lambda handler, body: (
        handler.start('text/event-stream') if body['stream'] else handler.openai_whole('<give(pear)>')
    )
    spoken = []
    assert model.chat(chat, options, on_text=spoken.append).text == '<give(pear)>'
    assert spoken == ['<give(pear)>']


def test_the_reason_is_asked_for_on_a_connection_of_its_own(server, model, chat, options):
    """As llama_cpp.server does: it ends the stream, and then the connection, though it did not announce that."""
    ended = set()

    def answer(handler, body):
        if handler in ended:
            handler.reset()
        elif body['stream']:
            ended.add(handler)
            handler.send_response(200)
            handler.send_header('Content-Type', 'text/event-stream')
            handler.send_header('Transfer-Encoding', 'chunked')
            handler.end_headers()
            handler.write('0\r\n\r\n')
        else:
            handler.openai_whole('<give(pear)>')

    server.answer = answer
    assert model.chat(chat, options).text == '<give(pear)>'


def test_a_stream_that_ends_in_the_middle_is_not_asked_again_here(server, model, chat, options):
    def answer(handler, body):
        handler.start('text/event-stream')
        handler.chunk('<gi')
        handler.write('data: [DONE]\n\n')

    server.answer = answer
    with pytest.raises(ModelRetryable, match='ended the answer in the middle, after 3 characters'):
        model.chat(chat, options)
    assert len(server.chats) == 1


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


def test_a_web_page_is_called_one(server, model, chat, options):
    server.answer = lambda handler, _: (handler.start('text/html'), handler.write('<html>sign in'))
    with pytest.raises(ModelRetryable, match='answered with a web page: a proxy or another program is at this URL'):
        model.chat(chat, options)


@pytest.mark.parametrize(
    'event', [{'error': 'worker died'}, {'object': 'error', 'message': 'worker died', 'type': 'ServerError'}]
)
def test_an_error_in_a_stream_is_quoted_whatever_its_form(server, model, chat, options, event):
    def answer(handler, body):
        handler.start('text/event-stream')
        handler.chunk('<gi')
        handler.sse(event)

    server.answer = answer
    with pytest.raises(ModelRetryable, match='worker died'):
        model.chat(chat, options)


def test_https_to_a_server_without_it_says_so(server, chat, options):
    model = OpenAIModel('m', server.url.replace('http:', 'https:'))
    with pytest.raises(ModelUnusable, match='does not speak https; write http://'):
        model.chat(chat, options)
    model.close()


def test_a_server_that_is_not_there_is_retryable(server, chat, options):
    with pytest.raises(ModelRetryable, match=r'connection failed.*start a server there, or correct the URL'):
        OpenAIModel('m', 'http://127.0.0.1:9/v1').chat(chat, options)


def test_redirects_are_not_followed(server, model, chat, options):
    server.answer = lambda handler, body: handler.whole(307, {}, {'Location': 'http://192.0.2.1/v1/chat/completions'})
    with pytest.raises(ModelUnusable, match='redirects are not followed'):
        model.chat(chat, options)


def _all_vendor_exceptions():
    kinds = {
        kind
        for module in (openai, openai._exceptions)
        for kind in list(vars(module).values())
        # Not isclass: it asks openai's proxies for their class, and they import all of openai.types then, for a second.
        if issubclass(type(kind), type)
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
