"""Language models in GGUF files, run by llama.cpp in a process of its own.

`local_model` is the caller's side, `model_process` starts and watches the process, `serve` is what runs in it, and
`engine` is llama.cpp itself. A crash of llama.cpp ends that process and nothing else.
"""
