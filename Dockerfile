# The server in a container: `docker build -t workflow-agent .`, or `docker compose up` with compose.yaml.
FROM python:3.13-slim-bookworm AS build
WORKDIR /source
COPY requirements-server.lock ./
RUN python -m venv /opt/workflow-agent \
    && /opt/workflow-agent/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements-server.lock
COPY pyproject.toml README.md LICENSE ./
COPY prompts prompts
COPY data/samples data/samples
COPY workflow_agent workflow_agent
RUN /opt/workflow-agent/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.13-slim-bookworm
COPY --from=build /opt/workflow-agent /opt/workflow-agent
RUN useradd --system --uid 10001 --home-dir /data workflow-agent \
    && install -d -o workflow-agent -m 0700 /data
USER 10001
WORKDIR /data
# Any other address than a loopback one wants WORKFLOW_AGENT_API_KEYS; without keys the server says so and stops.
ENV PATH=/opt/workflow-agent/bin:$PATH \
    WORKFLOW_AGENT_HOST=0.0.0.0 \
    WORKFLOW_AGENT_PORT=8000 \
    WORKFLOW_AGENT_DATA_DIR=/data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["workflow-agent"]
CMD ["serve"]
