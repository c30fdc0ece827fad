"""The participants' side: pages for a browser, the same as JSON for a bot."""

import re
from collections import Counter
from html import escape

from tests.simulators.prolific import groups, rules, studies, submissions, tokens
from tests.simulators.prolific import messages as message_store
from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.wire import Answer, Request, Routes
from tests.simulators.prolific.world import Row, World, iso

ROUTES = Routes()
COOKIE = "prolific_simulated_participant"
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1b1b1b; background: #f6f6f4 }
header, main { padding: .75rem 1.25rem } main { max-width: 44rem }
header { background: #0f4c4a; color: #fff } header a { color: #fff; margin-right: 1rem }
h1 { font-size: 1.3rem } h2 { font-size: 1.1rem; margin: 0 }
section { background: #fff; border: 1px solid #ddd; padding: .75rem 1rem; margin: .75rem 0 }
table { border-collapse: collapse; width: 100%; background: #fff }
th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid #ddd }
button, input { font: inherit; padding: .3rem .9rem } form { margin: .5rem 0 }
"""
_ID = re.compile(r"[0-9a-f]{24}")


def answer(world: World, request: Request) -> Answer:
    try:
        return ROUTES.answer(world, request)
    except Refusal as refusal:
        if request.wants_json:
            raise
        detail = refusal.body["error"]["detail"]
        return _page("Sorry", f"<p>{escape(str(detail))}</p>", status=refusal.status)


def _page(title: str, content: str, *, status: int = 200, who: str = "") -> Answer:
    links = '<a href="/studies">Studies</a><a href="/messages">Messages</a>'
    links += f'<a href="/">{escape(who) if who else "Log in"}</a>'
    return Answer(
        status,
        html=f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - simulated Prolific</title>
<meta name="viewport" content="width=device-width">
<style>{_STYLE}</style></head>
<body><header><strong>Simulated Prolific</strong> <small>No money is paid here.</small>
<nav>{links}</nav></header><main><h1>{escape(title)}</h1>{content}</main></body></html>""",
    )


def _who(world: World, request: Request) -> str:
    key = request.cookie(COOKIE)
    if not key:
        raise Refusal(401, "Log in first.")
    groups.participant(world, key)
    return key


def _mine(world: World, request: Request, key: str) -> Row:
    row = submissions.find(world, key)
    if row["participant_id"] != _who(world, request):
        raise Refusal(404, f"Submission {key} was not found.")
    return row


def _button(action: str, label: str, fields: str = "", extra: str = "") -> str:
    return (
        f'<form method="post" action="{escape(action)}" {extra}>{fields}'
        f"<button>{escape(label)}</button></form>"
    )


def _name(world: World, key: str) -> str:
    return str(world.state["participants"][key].get("name") or key)


@ROUTES.on("GET", "/")
def login_page(world: World, request: Request) -> Answer:
    field = '<label>Name, or id of 24 digits <input name="as" required></label> '
    known = "".join(
        f'<li><a href="/login?as={escape(key)}">{escape(_name(world, key))}</a></li>'
        for key in world.state["participants"]
    )
    form = f'<form action="/login">{field}<button>Log in</button></form>'
    return _page("Log in as a participant", f"<ul>{known}</ul>{form}")


@ROUTES.on("GET", "/login")
def login(world: World, request: Request) -> Answer:
    key = request.asked("as").strip()
    if not key.isalnum():
        raise Refusal(400, "A name consists of letters and digits.")
    if request.wants_json or _ID.fullmatch(key):
        groups.participant(world, key)
    else:
        key = groups.named(world, key)["id"]
    cookie = f"{COOKIE}={key}; Path=/; HttpOnly; SameSite=Lax"
    return Answer(303, {"id": key}, {"Location": "/studies", "Set-Cookie": cookie})


@ROUTES.on("GET", "/studies")
def offered(world: World, request: Request) -> Answer:
    person = _who(world, request)
    found = [
        study
        for study in world.state["studies"].values()
        if submissions.why_not(world, study, person) is None
    ]
    if request.wants_json:
        names = ("id", "name", "description", "reward", "estimated_completion_time")
        return Answer(body={"results": [{name: study[name] for name in names} for study in found]})
    mine = [row for row in world.state["submissions"].values() if row["participant_id"] == person]
    offers = "".join(f"<section>{_teaser(world, study)}</section>" for study in found)
    offers = offers or "<p>No study is offered to you at the moment. Reload to look again.</p>"
    return _page("Studies", offers + _taken(world, mine), who=_name(world, person))


def _taken(world: World, mine: list[Row]) -> str:
    """What somebody took part in, the latest first, and what came of it."""
    bonuses = Counter[str]()
    for line in world.state["ledger"]:
        if line["kind"] == "bonus":
            bonuses[line["submission"]] -= line["amount"]
    lines = [
        f'<tr><td><a href="/submissions/{row["id"]}">'
        f"{escape(world.state['studies'][row['study_id']]['name'])}</a></td>"
        f"<td>{row['status']}{', asked to return it' if row['return_requested'] else ''}</td>"
        f"<td>{(row['paid'] + bonuses[row['id']]) / 100:.2f} {world.config['currency']}</td></tr>"
        for row in reversed(mine)
    ]
    if not lines:
        return ""
    head = "<tr><th>Study</th><th>State</th><th>Earned</th></tr>"
    return f"<h2>Yours</h2><table>{head}{''.join(lines)}</table>"


def _teaser(world: World, study: Row) -> str:
    pay = f"{study['reward'] / 100:.2f} {world.config['currency']}"
    minutes = study["estimated_completion_time"]
    button = _button(f"/studies/{study['id']}/reserve", "Take part")
    return (
        f"<h2>{escape(study['name'])}</h2><p>{escape(study['description'])}</p>"
        f"<p>{pay}, about {minutes} minutes</p>{button}"
    )


@ROUTES.on("GET", "/studies/<key>")
def study_page(world: World, request: Request, key: str) -> Answer:
    study = studies.find(world, key)
    person = _who(world, request)
    if reason := submissions.why_not(world, study, person):
        raise Refusal(403, reason)
    return _page("Study", _teaser(world, study), who=_name(world, person))


@ROUTES.on("POST", "/studies/<key>/reserve")
def reserve(world: World, request: Request, key: str) -> Answer:
    row = submissions.reserve(world, studies.find(world, key), _who(world, request))
    return Answer(303, _shown(world, row), {"Location": f"/submissions/{row['id']}"})


def _shown(world: World, row: Row) -> Row:
    return {
        "id": row["id"],
        "study_id": row["study_id"],
        "status": row["status"],
        "entered_code": row["entered_code"],
        "earned": row["paid"],
        "return_requested": iso(row["return_requested"]),
    }


@ROUTES.on("GET", "/submissions/complete")
def complete(world: World, request: Request) -> Answer:
    """Where studies send people back to, with their code."""
    row = submissions.current(world, _who(world, request))
    if row is None:
        raise Refusal(404, "You have not begun a study.")
    code = request.asked("cc").strip()
    if submissions.may_hand_in(world, row):
        if not code:
            raise Refusal(400, "The address carries no completion code.")
        submissions.enter_code(world, row, code)
    elif row["status"] in (rules.TIMED_OUT, rules.RETURNED):
        raise Refusal(403, f"This submission is {row['status']}.")
    return _done(world, request, row)


def _done(world: World, request: Request, row: Row) -> Answer:
    if request.wants_json:
        return Answer(body=_shown(world, row))
    told = f"<p>Your submission is {row['status']}.</p><p><a href='/studies'>Studies</a></p>"
    return _page("Thank you", told, who=_name(world, row["participant_id"]))


@ROUTES.on("GET", "/submissions/<key>")
def submission_page(world: World, request: Request, key: str) -> Answer:
    row = _mine(world, request, key)
    if request.wants_json:
        return Answer(body=_shown(world, row))
    here = f"/submissions/{row['id']}"
    parts = [f"<p>Status: {row['status']}</p>"]
    if row["return_requested"]:
        parts.append("<p>The researcher asks you to return this submission.</p>")
    if row["status"] in (rules.RESERVED, rules.ACTIVE):
        parts.append(_button(f"{here}/start", "Open study", extra='target="_blank"'))
    if row["status"] == rules.ACTIVE:
        field = '<label>Completion code <input name="code" required></label> '
        parts.append(_button(f"{here}/code", "Send code", field))
        no_code = f'<input type="hidden" name="code" value="{rules.NOCODE}">'
        parts.append(_button(f"{here}/code", "I have no code", no_code))
    if row["status"] in (rules.RESERVED, rules.ACTIVE, rules.AWAITING_REVIEW):
        parts.append(_button(f"{here}/return", "Return"))
    name = world.state["studies"][row["study_id"]]["name"]
    return _page(name, "".join(parts), who=_name(world, row["participant_id"]))


@ROUTES.on("POST", "/submissions/<key>/start")
def start(world: World, request: Request, key: str) -> Answer:
    row = submissions.start(world, _mine(world, request, key))
    variant = request.form().get("variant", "good")
    if variant not in tokens.VARIANTS:
        raise Refusal(400, f"There is no such token: {variant}.")
    url = tokens.address(world, row, variant)
    return Answer(303, {**_shown(world, row), "url": url}, {"Location": url})


@ROUTES.on("POST", "/submissions/<key>/code")
def type_code(world: World, request: Request, key: str) -> Answer:
    code = request.form().get("code", "").strip()
    if not code:
        raise Refusal(400, "Enter a code.")
    return _done(world, request, submissions.enter_code(world, _mine(world, request, key), code))


@ROUTES.on("POST", "/submissions/<key>/return")
def give_back(world: World, request: Request, key: str) -> Answer:
    return _done(world, request, submissions.give_back(world, _mine(world, request, key)))


@ROUTES.on("GET", "/messages")
def messages(world: World, request: Request) -> Answer:
    person = _who(world, request)
    mine = message_store.of_participant(world, person)
    if request.wants_json:
        return Answer(body={"results": mine})
    items = "".join(f"<li>{escape(each['body'])}</li>" for each in mine)
    found = f"<ul>{items}</ul>" if items else "<p>You have no messages.</p>"
    return _page("Messages", found, who=_name(world, person))


@ROUTES.on("POST", "/messages")
def write(world: World, request: Request) -> Answer:
    form = request.form()
    study, category = form.get("study") or None, form.get("category", "")
    message_store.write(world, _who(world, request), form.get("body", ""), study, category)
    return Answer(body={"results": []})
