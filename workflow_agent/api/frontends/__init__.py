"""Turns in the words of front-end toolkits, Vercel's AI SDK and AG-UI, which Pydantic AI writes."""
