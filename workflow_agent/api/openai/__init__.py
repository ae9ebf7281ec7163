"""Turns in OpenAI's words, under `/v1`; what its API cannot say goes into headers."""
