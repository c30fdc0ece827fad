"""What an operator installs: .env, the compose file, systemd's units, and the server's page."""

import ast
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.template.loader import render_to_string

ROOT = Path(__file__).resolve().parents[2]
READERS = {"flag", "number", "words", "endpoints", "origins"}
# Only for platforms that are simulated on this machine.
NOT_FOR_A_SERVER = {"LIKENESS_POLL_SECONDS"}
# In the compose file these are part of an address, of the image, or of a limit of a container.
OF_COMPOSE_ALONE = re.compile(r"POSTGRES_PASSWORD|SECTIONS|WORKER_PROCESSES|\w+_MEMORY")


def read_by_systemd(text: str) -> dict[str, str]:
    """By the rules in systemd.exec(5), EnvironmentFile=."""
    values = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip()[0] in "#;":
            continue
        name, _, rest = line.partition("=")
        rest, value, quote = rest.strip(), "", ""
        characters = iter(rest)
        for character in characters:
            if character == quote:
                quote = ""
            elif not quote and character in "'\"":
                quote = character
            elif character == "\\" and quote != "'":
                following = next(characters, "")
                special = '"\\`$' if quote else following
                value += following if following in special else character + following
            else:
                value += character
        values[name.strip()] = value
    return values


def read_by_compose(text: str) -> dict[str, str]:
    """By the rules of Docker's page on env files; what would be interpolated is refused."""
    values = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, rest = line.partition("=")
        rest = rest.strip()
        if quoted := re.fullmatch(r"'([^']*)'(?:\s+#.*)?", rest):
            values[name] = quoted[1]
            continue
        # Unquoted: a blank before # begins a comment.
        value = re.split(r"(?:^|\s)#", rest)[0].strip()
        assert not set("$\"\\'") & set(value), f"compose would read {name} in its own way"
        values[name] = value
    return values


def read_by_shell(path: Path) -> dict[str, str]:
    done = subprocess.run(
        ["/bin/sh", "-e", "-c", 'set -a; . "$1"; env -0', "sh", str(path)],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    values = dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry)
    for name in ("PATH", "PWD", "OLDPWD", "SHLVL", "_"):
        values.pop(name, None)
    return values


FILLED = """
# comment
SECTIONS='web platforms models'
LIKENESS_MTURK_ENDPOINTS='lab=https://a.example https://b.example; other=https://c.example https://d.example'
EMAIL_HOST_PASSWORD='p$ss #1 "x" \\n & `y`'
DATABASE_URL=postgres://likeness:a1%24b@db.example.org:5432/likeness?sslmode=require
EMPTY=
"""


@pytest.mark.parametrize("name", [".env.example", "filled"])
def test_compose_a_shell_and_systemd_read_the_same_settings(name: str, tmp_path: Path) -> None:
    text = FILLED if name == "filled" else (ROOT / name).read_text()
    path = tmp_path / "settings"
    path.write_text(text)

    by_shell = read_by_shell(path)

    assert by_shell == read_by_systemd(text) == read_by_compose(text)
    assert len(by_shell) == len(re.findall(r"^\w+=", text, re.MULTILINE))


def read_by_settings() -> set[str]:
    """The names of all variables that the settings read from the environment."""
    names = {"DATABASE_URL"}  # by dj_database_url
    for module in ("settings", "environment"):
        tree = ast.parse((ROOT / "config" / f"{module}.py").read_text())
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            function = ast.unparse(node.func)
            first = node.args[0]
            if isinstance(first, ast.Constant) and (
                function in READERS or function == "os.environ.get"
            ):
                names.add(str(first.value))
    assert len(names) > 25
    return names - NOT_FOR_A_SERVER


def compose() -> dict[str, Any]:
    settings: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return settings


def test_all_that_the_settings_read_can_be_set_on_a_server() -> None:
    image = set(re.findall(r"\$\{(\w+):-", (ROOT / "Dockerfile").read_text()))
    wanted = read_by_settings() | image
    listed = set(read_by_systemd((ROOT / ".env.example").read_text()))

    assert wanted - listed == {"DEBUG"}
    for service in ("migrate", "web", "worker", "beat"):
        assert wanted - set(compose()["services"][service]["environment"]) == set()
    text = (ROOT / "docker-compose.yml").read_text()
    for name in listed:
        if OF_COMPOSE_ALONE.fullmatch(name):
            assert f"${{{name}:" in text


def test_each_setting_that_compose_passes_has_the_default_of_the_settings() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    settings = (ROOT / "config" / "settings.py").read_text()
    numbers = dict(re.findall(r'number\("(\w+)", default=([\d_]+)\)', settings))

    # Its default depends on another setting.
    del numbers["LIKENESS_RETENTION_MAX_DAYS"]
    for name, default in re.findall(r"\$\{(\w+):-([^}]*)\}", text):
        if name in numbers:
            assert int(default) == int(numbers[name])


def test_no_container_fills_the_machine() -> None:
    for name, service in compose()["services"].items():
        assert service["mem_limit"], name
        assert service["logging"]["driver"] == "json-file"
        assert set(service["logging"]["options"]) == {"max-size", "max-file"}
        assert service["stop_grace_period"]
        assert all(":size=" in folder for folder in service.get("tmpfs", []))


def unit(name: str) -> dict[str, str]:
    text = (ROOT / "deploy" / f"likeness-{name}.service").read_text()
    # A unit writes a per cent sign twice.
    return dict(re.findall(r"^(\w+)=(.*)$", text.replace("%%", "%"), re.MULTILINE))


def test_units_start_what_compose_starts() -> None:
    services = compose()["services"]
    image = (ROOT / "Dockerfile").read_text()

    for name in ("worker", "long-worker", "beat"):
        _, _, command = unit(name)["ExecStart"].partition("/bin/")
        words = " ".join(services[name]["command"]).split()
        assert command.split()[:6] == words[:6]
    web = re.search(r"exec (gunicorn .*)\"\]", image)
    assert web
    options = re.sub(r"\$\{?(\w+)(?::-\d+)?\}?", r"${\1}", web[1]).replace("0.0.0.0", "127.0.0.1")
    for word in ("--config python:config.gunicorn", "--no-control-socket"):
        assert word in options
    assert unit("web")["ExecStart"].partition("/bin/")[2].replace("${PORT}", "$PORT") == (
        options.replace("${PORT}", "$PORT")
    )


@pytest.mark.parametrize("name", ["web", "worker", "long-worker", "beat"])
def test_the_page_starts_by_hand_what_the_units_start(name: str) -> None:
    page = (ROOT / "docs" / "server.md").read_text()
    command = unit(name)["ExecStart"].replace("/srv/likeness/", "").removesuffix(" --pidfile=")
    by_hand = re.sub(r"\s*\\\n\s*", " ", page)

    assert re.sub(r"\$\{(\w+)\}", r"$\1", command) in by_hand


@pytest.mark.parametrize("name", ["web", "worker", "long-worker", "beat"])
def test_units_know_every_variable_they_use_and_do_not_repeat_a_refusal(name: str) -> None:
    from config import checks

    lines = unit(name)
    given = set(read_by_systemd((ROOT / ".env.example").read_text()))

    assert set(re.findall(r"\$\{(\w+)\}", lines["ExecStart"])) <= given
    # gunicorn and Celery end with 2 when an argument is wrong.
    prevented = set(map(int, lines["RestartPreventExitStatus"].split()))
    assert prevented == {2, checks.REFUSED_STATUS}
    assert lines["Restart"] == "always"
    assert lines["UMask"] == "0077"


def test_nobody_is_told_to_start_a_second_beat() -> None:
    html = render_to_string("core/_no_worker.html")

    commands = re.findall(r"<code>(.*?)</code>", html)
    assert "celery -A config worker" in commands
    assert "celery -A config beat" in commands
    assert not any("--beat" in command or " -B" in command for command in commands)


def logged_page(uri: str) -> str:
    """What nginx logs instead of a decoded address, by the map in deploy/nginx.conf."""
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    assert "map $uri $likeness_page" in text
    block = text.partition("map $uri $likeness_page {")[2].partition("\n}")[0]
    for star, pattern, page in re.findall(r'^\s*"?~(\*?)(.*?)"? (\S+);$', block, re.MULTILINE):
        if re.search(pattern, uri, re.IGNORECASE if star else 0):
            return str(page)
    return uri


def test_no_log_of_nginx_has_the_key_of_an_annotator() -> None:
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    key = "0123456789AB-abcdefghijklmnopqrstuvwx_-"

    for uri in (
        f"/a/{key}/s/1/",
        f"/A/{key}",
        f"/nowhere/{key}/",
        "/a/part-of-a-key/",
        f"/p/{key}",
    ):
        assert "key" not in logged_page(uri)
        assert key[:8] not in logged_page(uri)
    assert logged_page("/admin/annotation/study/") == "/admin/annotation/study/"
    # An error below `emerg` quotes the whole request.
    levels = re.findall(r"error_log \S+ (\w+);", text)
    assert levels == ["emerg"] * text.count("server {")
    assert "$request_uri" not in text.partition("server {")[0]


def test_nginx_limits_the_requests_of_one_address_but_not_of_a_class() -> None:
    text = (ROOT / "deploy" / "nginx.conf").read_text()
    zone = re.search(
        r"^limit_conn_zone \$binary_remote_addr zone=(\w+):\d+m;$", text, re.MULTILINE
    )
    assert zone
    # In the block that passes requests on.
    limits = re.findall(
        rf"^    limit_conn {zone[1]} (\d+);$", text.partition("443")[2], re.MULTILINE
    )

    assert [300 < int(limit) < 800 for limit in limits] == [True]


def test_no_secret_is_an_argument_of_a_command() -> None:
    page = (ROOT / "docs" / "server.md").read_text()

    assert not re.search(r"sed .*\$\(python3", page)


def test_logs_by_hand_are_private_and_rotated() -> None:
    page = (ROOT / "docs" / "server.md").read_text()

    assert "install -m 640 /dev/null /var/log/likeness-$name.log" in page
    assert "copytruncate" in page


def test_periodic_tasks_do_not_fill_the_log(settings: Any) -> None:
    loggers = settings.LOGGING["loggers"]

    for name in ("celery.beat", "celery.worker.strategy", "celery.app.trace"):
        assert loggers[name]["level"] == "WARNING"
