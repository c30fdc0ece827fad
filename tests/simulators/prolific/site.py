"""The participants' side: pages for a browser, the same as JSON for a bot."""

from html import escape

from tests.simulators.prolific import groups, rules, studies, submissions, tokens
from tests.simulators.prolific.errors import Refusal
from tests.simulators.prolific.wire import Answer, Request, Routes
from tests.simulators.prolific.world import Row, World, iso

ROUTES = Routes()
COOKIE = "prolific_simulated_participant"


def answer(world: World, request: Request) -> Answer:
    try:
        return ROUTES.answer(world, request)
    except Refusal as refusal:
        if request.wants_json:
            raise
        detail = refusal.body["error"]["detail"]
        return _page("Sorry", f"<p>{escape(str(detail))}</p>", status=refusal.status)


def _page(title: str, content: str, *, status: int = 200) -> Answer:
    return Answer(
        status,
        html=f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{escape(title)} - simulated Prolific</title>
<meta name="viewport" content="width=device-width">
<style>body {{ font: 1rem/1.5 sans-serif; max-width: 40rem; margin: 2rem auto }}</style></head>
<body><p><strong>Simulated Prolific.</strong> No money is paid here.
<a href="/studies">Studies</a> <a href="/messages">Messages</a> <a href="/">Log in</a></p>
<h1>{escape(title)}</h1>{content}</body></html>""",
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


@ROUTES.on("GET", "/")
def login_page(world: World, request: Request) -> Answer:
    field = '<label>Participant id <input name="as" required></label> '
    known = "".join(
        f'<li><a href="/login?as={escape(key)}">{escape(key)}</a></li>'
        for key in world.state["participants"]
    )
    form = f'<form action="/login">{field}<button>Log in</button></form>'
    return _page("Log in", f"{form}<ul>{known}</ul>")


@ROUTES.on("GET", "/login")
def login(world: World, request: Request) -> Answer:
    key = request.asked("as").strip()
    if not key.isalnum():
        raise Refusal(400, "A participant id consists of letters and digits.")
    groups.participant(world, key)
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
    at_work = [
        row
        for row in world.state["submissions"].values()
        if row["participant_id"] == person and row["status"] in (rules.RESERVED, rules.ACTIVE)
    ]
    items = "".join(
        f'<li><a href="/submissions/{row["id"]}">Go on</a>: {row["status"]}</li>'
        for row in at_work
    )
    items += "".join(f"<li>{_teaser(world, study)}</li>" for study in found)
    return _page(f"Studies for {person}", f"<ul>{items}</ul>" if items else "<p>None.</p>")


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
    if reason := submissions.why_not(world, study, _who(world, request)):
        raise Refusal(403, reason)
    return _page("Study", _teaser(world, study))


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
    if row["status"] == rules.ACTIVE:
        if not code:
            raise Refusal(400, "The address carries no completion code.")
        submissions.enter_code(world, row, code)
    elif row["status"] in (rules.TIMED_OUT, rules.RETURNED):
        raise Refusal(403, f"This submission is {row['status']}.")
    return _done(world, request, row)


def _done(world: World, request: Request, row: Row) -> Answer:
    if request.wants_json:
        return Answer(body=_shown(world, row))
    return _page("Thank you", f"<p>Your submission is {row['status']}.</p>")


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
    return _page("Your submission", "".join(parts))


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
    mine = [each for each in world.state["messages"] if each["recipient_id"] == person]
    if request.wants_json:
        return Answer(body={"results": mine})
    items = "".join(f"<li>{escape(each['body'])}</li>" for each in mine)
    return _page("Messages", f"<ul>{items}</ul>" if items else "<p>None.</p>")
