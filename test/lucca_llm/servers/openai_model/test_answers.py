"""Requests and answers of OpenAIModel with a real server."""

import json
import threading

import pytest

from lucca_llm.model import ChatOptions, Message


def test_streamed_pieces_arrive_one_by_one_and_make_the_answer(server, model, chat, options):
    server.answer = lambda handler, body: handler.openai_stream(['<give', '(', 'pear)>'])
    pieces = []
    reply = model.chat(chat, options, on_text=pieces.append)
    assert len(pieces) == 3
    assert ''.join(pieces) == '<give(pear)>'
    assert reply.text == '<give(pear)>'
    assert (reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == (11, 7, 'stop')
    assert reply.model_s > 0


def test_messages_sampling_and_key_are_sent_as_asked(server, model, chat, key):
    model.chat(chat, ChatOptions(temperature=0.7, top_p=0.9, presence_penalty=0.5, seed=3, max_tokens=99))
    (request,) = server.chats
    assert request.path == '/v1/chat/completions'
    assert request.headers['authorization'] == f'Bearer {key}'
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


def test_an_empty_chat_is_the_callers_mistake(model, options):
    with pytest.raises(ValueError, match='at least one message'):
        model.chat([], options)


def test_an_endless_answer_is_cut_off(server, model, chat):
    def answer(handler, body):
        handler.start('text/event-stream')
        while True:
            handler.chunk('x' * 1000)

    server.answer = answer
    reply = model.chat(chat, ChatOptions(max_tokens=10, deadline_s=20))
    assert reply.finish_reason == 'length'
    assert len(reply.text) < 10_000


def test_check_asks_for_a_word(server, model):
    model.check(20.0)
    assert len(server.chats) == 1


def test_a_check_survives_the_request_of_another(server, model):
    """llama_cpp.server breaks off an answer when another request comes."""
    broken_off = []

    def answer(handler, body):
        if broken_off:
            handler.openai_stream(['ok'])
        else:
            broken_off.append(body)
            handler.start('text/event-stream')
            handler.chunk('o')
            handler.write('data: [DONE]\n\n')

    server.answer = answer
    model.check(20.0)
    assert len(server.chats) == 2


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
