# The web server, the worker and beat run from this one image: see docker-compose.yml.
FROM python:3.11-slim AS docs
WORKDIR /app
COPY requirements.txt ./
COPY scripts/requirements scripts/
RUN sh scripts/requirements docs >/tmp/requirements.txt \
    && pip install --no-cache-dir --disable-pip-version-check -r /tmp/requirements.txt -c requirements.txt
# The notebook is executed, with the statistics of this checkout.
COPY scoring scoring
COPY shell shell
COPY tuples tuples
COPY docs docs
RUN python -m sphinx -q docs build/site/help

FROM python:3.11-slim

# "web platforms models" builds the image of a worker that scores baselines.
ARG SECTIONS="web platforms"

ENV PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    LIKENESS_DATA=/data \
    STATIC_ROOT=/app/staticfiles \
    PORT=8000

RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin likeness \
    && install -d -o likeness -g likeness /data
WORKDIR /app

COPY requirements.txt ./
COPY scripts/requirements scripts/
RUN sh scripts/requirements $SECTIONS >/tmp/requirements.txt \
    && pip install --no-cache-dir --disable-pip-version-check -r /tmp/requirements.txt -c requirements.txt \
    && rm /tmp/requirements.txt

COPY . .
COPY --from=docs /app/build/site build/site
# Static files belong to the image, not to the data: STATIC_ROOT above. No secret of a real installation is needed to collect them.
RUN SECRET_KEY=only-while-the-image-is-built-0123456789-abcdefghijklmnop LIKENESS_DATA=/tmp/build DEBUG=0 \
    python manage.py collectstatic --noinput \
    && chmod -R a+rX "$STATIC_ROOT" \
    && rm -rf /tmp/build

USER likeness
VOLUME /data
EXPOSE 8000
CMD ["sh", "-c", "exec gunicorn config.wsgi --config python:config.gunicorn --bind 0.0.0.0:$PORT --worker-tmp-dir /dev/shm --no-control-socket"]
