"""The rules that the conformance suite cannot see from outside: ``python -m unittest discover tests``."""

from __future__ import annotations

import json
import time
import unittest
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from email.utils import format_datetime
from typing import Any

import httpx

from postrider import OMIT, APIConnectionError, Postrider, PostriderError, RawJson, sign_webhook, verify_webhook
from postrider._arguments import body, query, segment
from postrider._calls import Call, settings_of
from postrider._decode import MismatchError, decode
from postrider._json import decoder, encode
from postrider._pages import Page
from postrider._retries import LONGEST_WAIT, may_succeed_later, pause_before_retry, retry_after
from postrider._sse import Parser
from postrider._stream import StreamState
from postrider.types import CreateEventBatchRequest, CreateWebhookRequest, Event, Tenant, TenantList

CREATED = "2026-11-21T06:46:41.388Z"


def event_text(data: str) -> str:
    return (
        f'{{ "id":"evt_1", "type":"a", "created":"{CREATED}", "tenantId":null, "data":{data} , "deliveries":[], '
        '"deliveriesComplete":true, "validation":null, "mode":"live", "later":{"fields":[1]} }'
    )


class JsonTest(unittest.TestCase):
    def test_numbers_keep_their_digits(self) -> None:
        text = '{"n": 12345678901234567890, "d": 1.10, "long": ' + "9" * 5000 + "}"
        event = decode(Event, event_text(text), decoder(Decimal))
        self.assertEqual(event.data["n"], 12345678901234567890)
        self.assertEqual(str(event.data["d"]), "1.10")
        self.assertEqual(event.data.raw.text, text)
        self.assertEqual(json.loads(encode(event.data), parse_float=str, parse_int=str)["d"], "1.10")

    def test_inserted_texts_stay_in_their_places(self) -> None:
        sent = {"a": [RawJson('{"x": 1.50}'), "ü"], "b": Decimal("2.00"), "c": RawJson("[ ]")}
        self.assertEqual(encode(sent).decode(), '{"a":[{"x": 1.50},"ü"],"b":2.00,"c":[ ]}')

    def test_rejects_what_has_no_form_in_json(self) -> None:
        for value in (float("nan"), Decimal("Infinity"), datetime(2026, 1, 1)):
            with self.subTest(value), self.assertRaises(ValueError):
                encode({"data": value})
        for text in ("{", '{"a":NaN}', '1}, {"b": 2'):
            with self.subTest(text), self.assertRaises(ValueError):
                RawJson(text)

    def test_a_mismatch_names_the_place(self) -> None:
        tenant = f'{{"id":"t","name":null,"metadata":{{}},"created":"{CREATED}","mode":"live"}}'
        broken = {
            '"created":"soon"': "data[1].created",
            '"mode":"live", "created":5': "data[1].created",
            '"metadata":[]': "data[1].metadata",
            "": "data[1].metadata",
        }
        for fields, place in broken.items():
            with self.subTest(fields), self.assertRaisesRegex(MismatchError, place.replace("[", r"\[")):
                other = f'{{"id":"t"{"," if fields else ""}{fields}}}'
                decode(TenantList, f'{{"data":[{tenant},{other}],"hasMore":false}}', decoder())

    def test_an_older_service_lacks_fields(self) -> None:
        event = decode(
            Event, event_text("{}").replace('"validation":null,', "").replace('"tenantId":null,', ""), decoder()
        )
        self.assertIsNone(event.validation)
        self.assertIsNone(event.tenant_id)

    def test_malformed_json_is_a_mismatch(self) -> None:
        with self.assertRaises(MismatchError):
            decode(float, "null", decoder())
        whole = event_text("{}")
        for text in [whole[:length] for length in range(len(whole))] + [f"{whole}}}", whole.replace("live", "\t")]:
            with self.subTest(text), self.assertRaises(MismatchError):
                decode(Event, text, decoder())


class WebhooksTest(unittest.TestCase):
    def test_events_of_each_format(self) -> None:
        secret, data = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", '{"n": 1.10}'
        bodies = {
            "standard": f'{{"id":"evt_1","type":"a","timestamp":"{CREATED}","tenantId":"t","data":{data}}}',
            "thin": f'{{"id":"evt_1","type":"a","timestamp":"{CREATED}","tenantId":"t"}}',
            "cloudevents": f'{{"id":"x","type":"a","time":"{CREATED}","tenantid":"t","data":{data},"source":"s"}}',
        }
        for format, body_text in bodies.items():
            with self.subTest(format):
                headers = sign_webhook(body_text, secret, id="evt_1", signature_header_prefix="svix")
                pairs = [(name.upper().encode(), value.encode()) for name, value in headers.items()]
                event = verify_webhook(body_text, pairs, secret, signature_header_prefix="svix")
                created = datetime(2026, 11, 21, 6, 46, 41, 388000, timezone.utc)
                self.assertEqual((event.id, event.type, event.timestamp, event.tenant_id), ("evt_1", "a", created, "t"))
                self.assertEqual(event.data.raw.text, "{}" if format == "thin" else data)
                self.assertEqual(event.payload.raw.text, body_text)

    def test_arguments_that_can_verify_nothing(self) -> None:
        secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        headers = sign_webhook("{}", secret, timestamp=0)
        unset: Any = None
        for wrong, tolerance in ((unset, 300), ("", 300), (secret, float("nan")), (secret, -1)):
            with self.subTest(wrong, tolerance=tolerance), self.assertRaises(ValueError):
                verify_webhook("{}", headers, wrong, tolerance=tolerance)


class ArgumentsTest(unittest.TestCase):
    def test_names_of_users_are_kept(self) -> None:
        sent = body(
            CreateWebhookRequest,
            {
                "timeout_seconds": OMIT,
                "name": None,
                "metadata": {"team_name": "a"},
                "filter": {"data": {"order_id": 1}},
                "auth": {"type": "oauth2_client_credentials", "token_url": "u"},
            },
        )
        self.assertEqual(
            sent,
            {
                "name": None,
                "metadata": {"team_name": "a"},
                "filter": {"data": {"order_id": 1}},
                "auth": {"type": "oauth2_client_credentials", "tokenUrl": "u"},
            },
        )
        batch = body(CreateEventBatchRequest, {"events": [{"idempotency_key": "k", "data": {"order_id": 1}}]})
        self.assertEqual(batch, {"events": [{"idempotencyKey": "k", "data": {"order_id": 1}}]})

    def test_queries_and_paths(self) -> None:
        time = datetime(2026, 11, 21, 6, 46, 41, tzinfo=timezone(timedelta(hours=2)))
        given = {"from_": time, "dry_run": True, "type": ["a", "b"], "limit": OMIT}
        self.assertEqual(
            query(given),
            [("from", "2026-11-21T06:46:41+02:00"), ("dryRun", "true"), ("type", "a"), ("type", "b")],
        )
        self.assertEqual(segment("a/b?c#d%"), "a%2Fb%3Fc%23d%25")
        unset: Any = None
        for id in ("", ".", "..", unset):
            with self.subTest(id), self.assertRaises(ValueError):
                segment(id)
        self.assertEqual(query({"tenant_id": None}), [("tenantId", "null")])
        with self.assertRaisesRegex(ValueError, "starting_after"):
            query({"starting_after": None})


class ErrorsTest(unittest.TestCase):
    def failed(self, outcome: httpx.Response | httpx.RequestError) -> tuple[PostriderError, list[httpx.Request]]:
        """The error of a call whose attempt has this outcome, and its attempts."""
        sent: list[httpx.Request] = []

        def respond(request: httpx.Request) -> httpx.Response:
            sent.append(request)
            if isinstance(outcome, httpx.RequestError):
                raise outcome
            return outcome

        with httpx.Client(transport=httpx.MockTransport(respond)) as http_client:
            client = Postrider("sk_test_1", base_url="http://127.0.0.1", max_retries=0, http_client=http_client)
            with self.assertRaises(PostriderError) as raised:
                client.events.create(type="a", data={})
        return raised.exception, sent

    def test_a_call_with_an_unknown_effect_can_be_repeated(self) -> None:
        details = {"type": "api_error", "code": "service_unavailable", "message": "Wait."}
        answers = [httpx.Response(503, json={"error": details}), httpx.Response(502, text="<html>")]
        for answer in [*answers, httpx.Response(201, text='{"id":')]:
            with self.subTest(answer):
                error, [request] = self.failed(answer)
                self.assertEqual(getattr(error, "idempotency_key", None), request.headers["idempotency-key"])

    def test_a_lost_connection_has_its_cause(self) -> None:
        refused = httpx.ConnectError("refused")
        error, _ = self.failed(refused)
        self.assertIs(error.__cause__, refused)


class TimeoutTest(unittest.TestCase):
    def test_each_part_of_an_attempt_has_what_is_left(self) -> None:
        def respond(request: httpx.Request) -> httpx.Response:
            limits = request.extensions["timeout"]
            connecting, began = limits.get("connect"), time.monotonic()
            while time.monotonic() == began:
                pass
            self.assertLessEqual(connecting, 5)
            self.assertLess(limits.get("read"), connecting)
            return httpx.Response(200, json={"data": [], "hasMore": False})

        with httpx.Client(transport=httpx.MockTransport(respond)) as http_client:
            client = Postrider("sk_test_1", base_url="http://127.0.0.1", timeout=5, http_client=http_client)
            client.tenants.list()


class RetriesTest(unittest.TestCase):
    def test_pauses_grow_up_to_a_bound(self) -> None:
        for retries, longest in enumerate((0.5, 1, 2, 4, 8, 8)):
            pause = pause_before_retry(retries, None)
            self.assertIsNotNone(pause)
            self.assertTrue(longest / 2 <= (pause or 0) <= longest, pause)

    def test_errors_that_pass(self) -> None:
        def error(code: object) -> bytes:
            return json.dumps({"error": {"code": code}}).encode()

        for status, code in ((408, "request_timeout"), (409, "deliveries_unknown"), (409, "idempotency_key_in_use")):
            self.assertTrue(may_succeed_later(status, error(code)), code)
        for status, body_text in ((409, error("last_key")), (400, error([])), (404, b"<html>"), (201, b"{}")):
            self.assertFalse(may_succeed_later(status, body_text), body_text)

    def test_retry_after(self) -> None:
        in_a_minute = format_datetime(datetime.now(timezone.utc) + timedelta(minutes=1), usegmt=True)
        self.assertTrue(50 < (retry_after({"retry-after": in_a_minute}) or 0) <= 60)
        self.assertEqual(retry_after({"retry-after": format_datetime(datetime(2000, 1, 1, tzinfo=timezone.utc))}), 0)
        slow_clock = {"date": "Sat, 21 Nov 2026 06:46:41 GMT", "retry-after": "Sat, 21 Nov 2026 06:46:44 GMT"}
        self.assertEqual(retry_after(slow_clock), 3)
        for text in ("", "soon", "-1", "1.5", "²"):
            self.assertIsNone(retry_after({"retry-after": text}), text)
        self.assertEqual(pause_before_retry(0, 7), 7)
        self.assertIsNone(pause_before_retry(0, LONGEST_WAIT + 1))
        self.assertIsNone(pause_before_retry(0, retry_after({"retry-after": "9" * 400})))


class ServerSentEventsTest(unittest.TestCase):
    def test_pieces_of_any_size_give_the_same_messages(self) -> None:
        text = (
            "\ufeffid: 1\nevent: event\ndata: {\r\ndata: €😀}\r\n\r\n: comment\n\nretry: 10\r\r"
            "id: 2\rid: \0\rdata\r\rdata: cut off"
        ).encode()
        whole = Parser()
        expected = [(message.event, message.data, message.id) for message in whole.feed(text)]
        self.assertEqual(expected, [("event", "{\n€😀}", "1"), ("message", "", "2")])
        for size in range(1, len(text)):
            parser = Parser()
            pieces = [text[start : start + size] for start in range(0, len(text), size)]
            messages = [message for piece in pieces for message in parser.feed(piece)]
            self.assertEqual([(message.event, message.data, message.id) for message in messages], expected, size)
            self.assertEqual(parser.retry_seconds, 0.01)


class StreamTest(unittest.TestCase):
    def test_pauses_grow_also_if_the_stream_asked_for_none(self) -> None:
        settings = settings_of("sk_test_1", "http://127.0.0.1", timeout=1, max_retries=0, parse_float=float)
        state = StreamState(Call("GET", "/v1/events/stream"), Event, settings, None)
        state.begin()
        self.assertEqual(list(state.feed(b"retry: 0\n\n")), [])
        pauses = [state.pause_after(APIConnectionError("refused")) for _ in range(12)]
        self.assertEqual(pauses[0], 0)
        self.assertGreaterEqual(pauses[1], 1)
        self.assertGreaterEqual(pauses[-1], 30)


class PagesTest(unittest.TestCase):
    def test_an_iteration_backwards_goes_from_old_to_new(self) -> None:
        def tenant(number: int) -> Tenant:
            created = datetime.now(timezone.utc)
            return Tenant(id=str(number), name=None, metadata={}, created=created, mode="live")

        def request(call: Call) -> Page[Tenant]:
            cursor = int(dict(call.query)["endingBefore"])
            data = [tenant(number) for number in range(min(cursor + 2, 5), cursor, -1)]
            return Page(call, TenantList(data=data, has_more=cursor + 2 < 5), "id", request)

        page = request(Call("GET", "/v1/tenants", query=[("endingBefore", "0")]))
        self.assertEqual([item.id for item in page.data], ["2", "1"])
        self.assertEqual([item.id for item in page], ["1", "2", "3", "4", "5"])


if __name__ == "__main__":
    unittest.main()
