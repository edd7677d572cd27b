"""Language models in GGUF files, run by llama.cpp in a process of its own.

`local_model` is the caller's side, `model_process` starts and watches the process, `serve` runs in it, and `engine`
draws answers with llama.cpp. A crash of llama.cpp ends only that process.
"""
