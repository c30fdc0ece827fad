"""A plain client of the simulator for its own tests; the application has one of its own."""

from typing import Any

import requests

from tests.simulators.prolific.simulator import ProlificSimulator

COMPLETED = {
    "code": "DONE1234",
    "code_type": "COMPLETED",
    "actions": [{"action": "MANUALLY_REVIEW"}],
}


class Researcher:
    """Calls the interface and hands back answers as they are."""

    def __init__(self, simulator: ProlificSimulator) -> None:
        self.simulator = simulator
        self.headers = {"Authorization": f"Token {simulator.token}"}

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> requests.Response:
        url = path if path.startswith("http") else f"{self.simulator.api}{path}"
        options.setdefault("timeout", 30)
        with requests.Session() as session:
            session.trust_env = False
            return session.request(method, url, json=body, headers=self.headers, **options)

    def get(self, path: str, **options: Any) -> Any:
        answer = self.call("GET", path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None, **options: Any) -> Any:
        answer = self.call("POST", path, body, **options)
        assert answer.status_code in (200, 201, 202, 204), answer.text
        return answer.json() if answer.content else None

    def draft(self, **changes: Any) -> dict[str, Any]:
        return {
            "name": "How alike are two answers?",
            "description": "You read short dialogues.",
            "external_study_url": "http://127.0.0.1:9/in?PROLIFIC_PID={{%PROLIFIC_PID%}}"
            "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
            "prolific_id_option": "url_parameters",
            "completion_codes": [COMPLETED],
            "total_available_places": 3,
            "estimated_completion_time": 10,
            "reward": 150,
            **changes,
        }

    def study(self, **changes: Any) -> str:
        return str(self.post("/studies/", self.draft(**changes))["id"])

    def published(self, **changes: Any) -> str:
        key = self.study(**changes)
        self.act(key, "PUBLISH")
        return key

    def act(self, study: str, action: str) -> str:
        return str(self.post(f"/studies/{study}/transition/", {"action": action})["status"])

    def status(self, study: str) -> str:
        return str(self.get(f"/studies/{study}/")["status"])

    def submission(self, key: str) -> dict[str, Any]:
        return dict(self.get(f"/submissions/{key}/"))

    def approve(self, key: str) -> str:
        body = {"action": "APPROVE"}
        return str(self.post(f"/submissions/{key}/transition/", body)["status"])

    def batch(self, study: str, *lines: str) -> str:
        body = {"study_id": study, "csv_bonuses": "\n".join(lines)}
        return str(self.post("/submissions/bonus-payments/", body)["id"])

    def pay(self, batch: str) -> requests.Response:
        return self.call("POST", f"/bulk-bonus-payments/{batch}/pay/")
