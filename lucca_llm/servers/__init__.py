"""Clients of model servers, over OpenAI's and Ollama's protocols."""
