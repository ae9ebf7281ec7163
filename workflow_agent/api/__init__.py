"""The HTTP API: routers, guards, and how its server runs."""
