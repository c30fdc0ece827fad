"""`make crowd`: Likeness beside simulated platforms, to be requester and worker on one machine.

    python -m tests.simulators [--port 8000]

Everything runs on loopback and ends with Ctrl-C. The data stay in var/crowd; money is simulated.
"""

import argparse
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "var" / "crowd"
# Another host name than the platforms' sites, so that a browser takes it for another site.
APPLICATION_HOST = "app.localhost"
NAME = "simulator"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.simulators", description=__doc__)
    parser.add_argument("--port", type=int, default=int(os.environ.get("PORT") or 8000))
    options = parser.parse_args()
    DATA.mkdir(parents=True, exist_ok=True)
    # Drawn anew each time: nobody else on this machine speaks to the simulators by accident.
    key_id, secret = "AKIA" + secrets.token_hex(8).upper(), secrets.token_urlsafe(30)
    mturk, turk = _start(
        "mturk",
        ["--state", str(DATA / "mturk.json"), "--follow-real-time"],
        {"SIMULATED_ACCESS_KEY": key_id, "SIMULATED_SECRET_KEY": secret},
    )
    prolific, paid = _start("prolific", ["--state", str(DATA / "prolific.json"), "--running"], {})
    public = f"http://{APPLICATION_HOST}:{options.port}"
    sys.stdout.write(
        f"Likeness:              {public}/admin/\n"
        f"Workers of MTurk:      {turk['worker_site']}\n"
        f"Prolific participants: {paid['site']}\n"
    )
    sys.stdout.flush()
    environment = {
        **os.environ,
        "LIKENESS_DATA": str(DATA),
        "LIKENESS_PUBLIC_URL": public,
        "ALLOWED_HOSTS": f"localhost,127.0.0.1,{APPLICATION_HOST}",
        "LIKENESS_MTURK_ENDPOINTS": f"{NAME}={turk['endpoint']} {turk['worker_site']}",
        f"MTURK_ACCESS_KEY_ID_{NAME.upper()}": key_id,
        f"MTURK_SECRET_ACCESS_KEY_{NAME.upper()}": secret,
        "LIKENESS_PROLIFIC_ENDPOINTS": f"{NAME}={paid['api']} {paid['site']}",
        f"PROLIFIC_TOKEN_{NAME.upper()}": paid["token"],
    }
    try:
        serve = [sys.executable, "manage.py", "serve", "--port", str(options.port)]
        raise SystemExit(subprocess.run(serve, cwd=ROOT, env=environment, check=False).returncode)
    except KeyboardInterrupt:
        pass
    finally:
        for process in (mturk, prolific):
            # They leave their state behind and end when their input does.
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=30)


def _start(
    name: str, arguments: Sequence[str], environment: dict[str, str]
) -> tuple["subprocess.Popen[str]", dict[str, Any]]:
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.simulators.{name}", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # Ctrl-C is for us: a simulator ends when we close its input, with its state written.
        start_new_session=True,
    )
    assert process.stdout is not None
    return process, json.loads(process.stdout.readline())


if __name__ == "__main__":
    main()
