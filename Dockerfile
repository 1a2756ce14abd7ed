# One image for the web server and the worker; compose.yaml shows both.
# docs/operators-start.md says how to pin it by its digest.
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim
FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
# Before the sources, so that changing them does not reinstall everything.
COPY requirements/requirements.lock /tmp/
RUN pip install --require-hashes -r /tmp/requirements.lock
# With --build-arg OBSERVABILITY=1: the clients of Sentry and OpenTelemetry.
ARG OBSERVABILITY=0
COPY requirements/requirements-observability.lock /tmp/
RUN test "$OBSERVABILITY" = 0 || pip install --require-hashes -r /tmp/requirements-observability.lock
# With --build-arg UPLOADS_S3=1: what uploads in a bucket need.
ARG UPLOADS_S3=0
COPY requirements/requirements-s3.lock /tmp/
RUN test "$UPLOADS_S3" = 0 || pip install --require-hashes -r /tmp/requirements-s3.lock
WORKDIR /app
COPY manage.py ./
COPY scoring scoring
COPY wardboard wardboard
# An archive of the repository has a file in the place of this link.
RUN ln -sfn ../scoring wardboard/scoring
COPY leaderboard leaderboard
COPY templates templates
# The site shows them under /docs/.
COPY docs docs
# Outside /data, where a volume would hide them or keep those of an older release.
RUN mkdir static
# The key is only for this command; the image does not keep it.
RUN SECRET_KEY=only-to-collect-files python manage.py collectstatic --noinput
RUN python -m compileall -q scoring leaderboard wardboard

FROM ${PYTHON_IMAGE}
# The service draws pictures of leaderboards, with names in any script. Backups need pg_dump and pg_restore.
RUN apt-get update \
    && apt-get install -y --no-install-recommends fonts-noto-core fonts-noto-cjk postgresql-client \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /app --shell /usr/sbin/nologin wardboard \
    && install -d -o wardboard -g wardboard /data
# Temporary files can be as large as an upload, and a tmpfs would count as memory.
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 BIND=0.0.0.0:8000 \
    WARDBOARD_DATA=/data TMPDIR=/data
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
WORKDIR /app
# By number, which Kubernetes can check.
USER 10001
VOLUME /data
EXPOSE 8000
# Uses a host name that the service accepts; "*" and a leading dot are not part of one.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", "\
import os, urllib.request as web; \
host = os.environ.get('ALLOWED_HOSTS', '').split(',')[0].strip().lstrip('.*') or 'localhost'; \
web.urlopen(web.Request('http://127.0.0.1:8000/healthz', headers={'Host': host}), timeout=4)"]
# In memory, because a heartbeat on a slow disk would look like a worker that hangs.
CMD ["gunicorn", "-c", "python:leaderboard.gunicorn", "--worker-tmp-dir", "/dev/shm", "leaderboard.wsgi"]
