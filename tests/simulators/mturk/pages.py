"""The HTML of the workers' site: plain pages that a person and a program can use."""

from collections.abc import Iterable
from datetime import UTC, datetime
from decimal import Decimal
from html import escape

from tests.simulators.mturk.entities import Assignment, Hit, HitType, Letter, Worker

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1b1b1b; background: #f6f6f4 }
header, main { padding: .75rem 1.25rem } header { background: #23395b; color: #fff }
header a { color: #fff; margin-right: 1rem } h1 { font-size: 1.3rem }
table { border-collapse: collapse; width: 100%; background: #fff }
th, td { text-align: left; padding: .5rem .75rem; border-bottom: 1px solid #ddd }
iframe { width: 100%; border: 1px solid #999; background: #fff }
form { display: inline }
button { font: inherit; padding: .3rem .9rem }
.bar > * { margin-right: 1rem }
"""
# The page inside the frame may not move the page around it: it tells it, and that one moves.
_LISTEN = """
addEventListener("message", (event) => {
  if (event.origin === location.origin && event.data === "submitted") location.href = "/projects";
});
"""
_TELL = 'if (parent !== window) parent.postMessage("submitted", location.origin);'


def _page(title: str, body: str, *, worker: Worker | None = None, script: str = "") -> str:
    links = ""
    if worker:
        links = (
            '<nav><a href="/projects">HITs</a><a href="/queue">Queue</a>'
            '<a href="/earnings">Earnings</a><a href="/messages">Messages</a>'
            f'<a href="/worker/login">{escape(worker.worker_id)}</a></nav>'
        )
    tail = f"<script>{script}</script>" if script else ""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<header><strong>Simulated workers' site</strong>{links}</header>"
        f"<main><h1>{escape(title)}</h1>{body}</main>{tail}</body></html>"
    )


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]], empty: str) -> str:
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    if not lines:
        return f"<p>{escape(empty)}</p>"
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _time(at: float | None) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC") if at else ""


def _button(action: str, label: str) -> str:
    return f'<form method="post" action="{escape(action)}"><button>{escape(label)}</button></form>'


def message(text: str) -> str:
    return _page(
        "Message", f'<p>{escape(text)}</p><p><a href="/projects">Back to the HITs</a></p>'
    )


def login(known: Iterable[str]) -> str:
    links = "".join(
        f'<li><a href="/worker/login?as={escape(name)}">{escape(name)}</a></li>' for name in known
    )
    return _page(
        "Log in as a simulated worker",
        f'<ul>{links}</ul><form method="get"><label>Worker id <input name="as" required'
        ' pattern="A[A-Z0-9]+"></label> <button>Log in</button></form>',
    )


def projects(worker: Worker, rows: Iterable[tuple[HitType, int, dict[str, bool]]]) -> str:
    def cells(kind: HitType, number: int, allowed: dict[str, bool]) -> list[str]:
        address = f"/projects/{kind.group_id}/tasks"
        preview = f'<a href="{address}">Preview</a>' if allowed["Preview"] else ""
        state = preview if allowed["Accept"] else f"{preview} You do not qualify."
        return [
            escape(kind.title),
            escape(kind.description),
            f"${kind.reward}",
            str(number),
            state,
        ]

    table = _table(
        ("Title", "Description", "Reward", "HITs", ""),
        (cells(*row) for row in rows),
        "There are no HITs for you at the moment.",
    )
    return _page("HITs", table, worker=worker)


def frame(
    kind: HitType,
    hit: Hit,
    mine: Assignment | None,
    *,
    now: float,
    source: str,
    sandbox: str,
    height: int,
) -> str:
    """The page around the requester's own: a preview with Accept, or the work with Return."""
    address = f"/projects/{kind.group_id}/tasks/{hit.hit_id}"
    if mine:
        bar = f"<span>Until {_time(mine.deadline)}</span>{_button(address + '/return', 'Return')}"
    else:
        bar = f"<span>Preview</span>{_button(address + '/accept', 'Accept')}"
    limits = "" if sandbox == "off" else f' sandbox="{escape(sandbox)}"'
    size = f"{height}px" if height else "max(30rem, 100vh - 14rem)"
    body = (
        f'<p class="bar"><span>Reward ${kind.reward}</span><span>Now {_time(now)}</span>{bar}'
        '<a href="/projects">Back to the HITs</a></p>'
        f'<iframe id="task" title="Task" src="{escape(source)}"{limits}'
        f' style="height: {size}"></iframe>'
    )
    return _page(kind.title, body, script=_LISTEN)


def submitted(text: str) -> str:
    body = f'<p>{escape(text)}</p><p><a href="/projects" target="_top">Back to the HITs</a></p>'
    return _page("Submitted", body, script=_TELL)


def queue(worker: Worker, rows: Iterable[tuple[HitType, Hit, Assignment]]) -> str:
    def cells(kind: HitType, hit: Hit, mine: Assignment) -> list[str]:
        address = f"/projects/{kind.group_id}/tasks/{hit.hit_id}"
        work = f'<a href="{address}">Work</a> {_button(address + "/return", "Return")}'
        return [escape(kind.title), f"${kind.reward}", _time(mine.deadline), work]

    table = _table(
        ("Title", "Reward", "Until", ""), (cells(*row) for row in rows), "Your queue is empty."
    )
    return _page("Queue", table, worker=worker)


def earnings(
    worker: Worker, total: Decimal, n_waiting: int, rows: Iterable[tuple[Assignment, HitType]]
) -> str:
    table = _table(
        ("Title", "Submitted", "State", "Reward", "Feedback"),
        (
            [
                escape(kind.title),
                _time(mine.submitted_at),
                mine.status,
                f"${kind.reward}",
                escape(mine.feedback or ""),
            ]
            for mine, kind in rows
        ),
        "You have not submitted a HIT.",
    )
    head = (
        f'<p>Earned: <strong id="earned">${total}</strong>. Waiting for review: {n_waiting}.</p>'
    )
    return _page("Earnings", head + table, worker=worker)


def messages(worker: Worker, letters: Iterable[Letter]) -> str:
    table = _table(
        ("When", "Subject", "Message"),
        ([_time(x.at), escape(x.subject), escape(x.text)] for x in letters),
        "You have no messages.",
    )
    return _page("Messages", table, worker=worker)
