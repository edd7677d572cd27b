"""A process that serves as llama.cpp's would, and does what the last message of a chat says."""

import json
import os
import signal
import sys
import threading


def write(message):
    sys.stdout.write(json.dumps(message) + '\n')
    sys.stdout.flush()


def done(text):
    return {'text': text, 'prompt_tokens': 3, 'known_tokens': 0, 'completion_tokens': 1, 'finish_reason': 'stop'}


def answer(number, chat):
    wish = chat['messages'][-1]['content']
    write({'id': number, 'text': 'begun'})
    if wish == 'die':
        os.kill(os.getpid(), signal.SIGKILL)
    elif wish == 'crash':
        sys.stderr.write('GGML_ASSERT failed\n')
        sys.stderr.flush()
        os.abort()
    elif wish == 'garble':
        sys.stdout.write('no JSON\n')
        sys.stdout.flush()
    elif wish == 'refuse':
        write({'id': number, 'error': {'kind': 'ModelUnusable', 'message': 'it does not fit'}})
    elif wish == 'stall':
        return
    elif wish == 'hang':
        threading.Event().wait()
    else:
        write({'id': number, 'done': done(f'{wish} by {os.getpid()}')})


def main():
    start = sys.argv[1]
    if start == 'refused':
        write({'error': {'kind': 'ModelUnusable', 'message': 'a.gguf is damaged'}})
        return
    if start == 'crashes':
        sys.stderr.write('illegal instruction\n')
        sys.stderr.flush()
        os.abort()
    if start == 'never':
        threading.Event().wait()
    write({'ready': {'window': 100}})
    open_calls = set()
    for line in sys.stdin:
        request = json.loads(line)
        if 'cancel' in request:
            if request['cancel'] in open_calls:
                write({'id': request['cancel'], 'error': {'kind': 'ModelRetryable', 'message': 'cancelled'}})
            continue
        open_calls.add(request['id'])
        answer(request['id'], request['chat'])


if __name__ == '__main__':
    main()
