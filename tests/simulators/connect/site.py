"""The participants' site: log in by any name, take a project, type its code."""

import hashlib
from html import escape
from urllib.parse import urlencode

from tests.simulators.connect import world as connect
from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.wire import Answer, Request, Routes
from tests.simulators.prolific.world import Row, World

ROUTES = Routes()
COOKIE = "connect_participant"


def answer(world: World, request: Request) -> Answer:
    try:
        return ROUTES.answer(world, request)
    except Refusal as refusal:
        detail = escape(str(refusal.body["error"]["detail"]))
        return _page("Sorry", f"<p>{detail}</p>", status=refusal.status)


def person_of(name: str) -> str:
    """32 hexadecimal digits, as the ids of Connect's participants have."""
    return hashlib.sha256(name.encode()).hexdigest()[:32].upper()


def launch_address(world: World, row: Row) -> str:
    """Where an assignment is done; Connect adds the three ids."""
    ids = {
        "participantId": row["person"],
        "assignmentId": row["id"],
        "projectId": row["project"],
    }
    return f"{connect.project_of(world, row['project'])['projectUrl']}?{urlencode(ids)}"


def _page(title: str, content: str, *, status: int = 200) -> Answer:
    return Answer(
        status,
        html=f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - simulated Connect</title>
<meta name="viewport" content="width=device-width"></head>
<body><header><strong>Simulated Connect</strong> <small>No money is paid here.</small>
<nav><a href="/projects">Projects</a> <a href="/">Log in</a></nav></header>
<main><h1>{escape(title)}</h1>{content}</main></body></html>""",
    )


def _who(request: Request) -> str:
    if not (name := request.cookie(COOKIE)):
        raise Refusal(401, "Log in first.")
    return person_of(name)


def _form(action: str, label: str, fields: str = "", extra: str = "") -> str:
    return (
        f'<form method="post" action="{escape(action)}" {extra}>{fields}'
        f"<button>{escape(label)}</button></form>"
    )


@ROUTES.on("GET", "/")
def login_page(world: World, request: Request) -> Answer:
    field = '<label>Name <input name="as" required></label> '
    return _page("Log in", f'<form action="/login">{field}<button>Log in</button></form>')


@ROUTES.on("GET", "/login")
def login(world: World, request: Request) -> Answer:
    name = request.asked("as").strip()
    if not name.isalnum():
        raise Refusal(400, "A name consists of letters and digits.")
    cookie = f"{COOKIE}={name}; Path=/; HttpOnly; SameSite=Lax"
    return Answer(303, None, {"Location": "/projects", "Set-Cookie": cookie})


@ROUTES.on("GET", "/projects")
def projects(world: World, request: Request) -> Answer:
    person = _who(request)
    offers = [
        f"<section><h2>{escape(each['name'])}</h2><p>{escape(each.get('summary') or '')}</p>"
        f"<p>{each['payment']:.2f} USD, about {each['estimatedTimeInMinutes']} minutes</p>"
        f"{_form(f'/projects/{key}/take', 'Take part')}</section>"
        for key, each in world.state["projects"].items()
        if connect.why_not(world, each, person) is None
    ]
    mine = [
        f'<li><a href="/assignments/{row["id"]}">{escape(_name(world, row))}</a>: '
        f"{_state(row)}</li>"
        for row in world.state["assignments"].values()
        if row["person"] == person
    ]
    nothing = "<p>No project is offered to you at the moment. Reload to look again.</p>"
    return _page("Projects", f"{''.join(offers) or nothing}<ul>{''.join(mine)}</ul>")


@ROUTES.on("POST", "/projects/<key>/take")
def take(world: World, request: Request, key: str) -> Answer:
    row = connect.begin(world, connect.project_of(world, key), _who(request))
    return Answer(303, None, {"Location": f"/assignments/{row['id']}"})


@ROUTES.on("GET", "/assignments/<key>")
def assignment(world: World, request: Request, key: str) -> Answer:
    row = _mine(world, request, key)
    parts = [f"<p>{_state(row)}</p>"]
    if row["completed_at"] is None:
        address = escape(launch_address(world, row))
        parts.append(f'<p><a href="{address}" target="_blank" rel="noreferrer">Open</a></p>')
        field = '<label>Completion code <input name="code" required></label> '
        parts.append(_form(f"/assignments/{key}/code", "Send code", field))
    if bonus := connect.shown_bonus(world, row):
        parts.append(f"<p>Bonus: {bonus / 100:.2f} USD</p>")
    return _page(_name(world, row), "".join(parts))


@ROUTES.on("POST", "/assignments/<key>/code")
def type_code(world: World, request: Request, key: str) -> Answer:
    row = _mine(world, request, key)
    if row["completed_at"] is None:
        connect.complete(world, row, request.form().get("code", "").strip())
    return Answer(303, None, {"Location": f"/assignments/{key}"})


def _mine(world: World, request: Request, key: str) -> Row:
    row: Row | None = world.state["assignments"].get(key)
    if row is None or row["person"] != _who(request):
        raise Refusal(404, f"Assignment {key} was not found.")
    return row


def _name(world: World, row: Row) -> str:
    return str(connect.project_of(world, row["project"])["name"])


def _state(row: Row) -> str:
    return str(row["status"]) if row["completed_at"] is not None else "in progress"
