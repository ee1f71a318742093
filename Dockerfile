# Serves a finished graph: see "In a container" in docs/guide/serving.md.
FROM python:3.11-slim AS build
WORKDIR /src
COPY . .
RUN python -m venv /opt/kgscripts \
    && /opt/kgscripts/bin/pip install --no-cache-dir --constraint constraints.txt '.[serve]'

FROM python:3.11-slim
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin kgscripts
COPY --from=build /opt/kgscripts /opt/kgscripts
ENV PATH=/opt/kgscripts/bin:$PATH HF_HUB_OFFLINE=1 PYTHONDONTWRITEBYTECODE=1
USER 10001
EXPOSE 8080
# Not by urllib, which would ask a proxy of the environment.
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", "\
import http.client, sys; \
server = http.client.HTTPConnection('127.0.0.1', 8080, timeout=4); \
server.request('GET', '/health'); \
sys.exit(server.getresponse().status != 200)"]
ENTRYPOINT ["kgscripts"]
CMD ["serve", "/graph", "--host", "0.0.0.0", "--token-file", "/run/secrets/token"]
