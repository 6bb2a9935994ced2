/** A function that verifies the signature of a request, in one programming language. */
export interface VerificationSample {
  readonly language: SampleLanguage;
  readonly name: string;
  /** How a receiver gets the raw body, which a parser must not change. */
  readonly rawBody: string;
  readonly text: string;
}

export type SampleLanguage = 'typescript' | 'node' | 'python' | 'go' | 'java';

/** The code for Node.js, whose two languages differ only in the head of the function. */
const node = (head: string) => `import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;

/** @param headers with names in lower case, @param body the received bytes */
export function isGenuine${head} {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    return false;
  }
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\`).update(body).digest();
  return String(signatures)
    .split(' ')
    .some((signature) => {
      const [version, value = ''] = signature.split(',');
      const given = Buffer.from(value, 'base64');
      return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
`;

const typescript = node(`(
  secret: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): boolean`);

const nodeWithoutTypes = node('(secret, headers, body)');

const python = String.raw`import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def is_genuine(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """headers with names in lower case, body as received"""
    identifier, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    content = f"{identifier}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    signatures = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(signature.encode(), expected.encode()) for signature in signatures)
`;

const go = String.raw`package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

// isGenuine takes Header.Get of the request, and the body as received.
func isGenuine(secret string, header func(name string) string, body []byte) bool {
	id, timestamp := header("webhook-id"), header("webhook-timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	age := time.Now().Unix() - seconds
	if err != nil || age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, signature := range strings.Split(header("webhook-signature"), " ") {
		if hmac.Equal([]byte(signature), expected) {
			return true
		}
	}
	return false
}
`;

const java = String.raw`import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Deliveries {
  private static final long TOLERANCE_SECONDS = 300;

  /** Headers with names in lower case, body as received. */
  static boolean isGenuine(String secret, Map<String, String> headers, byte[] body)
      throws GeneralSecurityException {
    String timestamp = headers.getOrDefault("webhook-timestamp", "");
    if (!timestamp.matches("\\d{1,15}")
        || Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) {
      return false;
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(Base64.getDecoder().decode(secret.replace("whsec_", "")), "HmacSHA256"));
    mac.update((headers.get("webhook-id") + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes();
    for (String signature : headers.getOrDefault("webhook-signature", "").split(" ")) {
      if (MessageDigest.isEqual(signature.getBytes(), expected)) {
        return true;
      }
    }
    return false;
  }
}
`;

const rawBodyOfExpress =
  'With Express, use express.raw({ type: "application/json" }) for the route instead of express.json().';

/** Only the standard library of each language. A test runs each function with a delivered request. */
export const samples: readonly VerificationSample[] = [
  { language: 'typescript', name: 'TypeScript', rawBody: rawBodyOfExpress, text: typescript },
  { language: 'node', name: 'Node.js', rawBody: rawBodyOfExpress, text: nodeWithoutTypes },
  {
    language: 'python',
    name: 'Python',
    rawBody:
      'With Flask, use request.get_data(). With Django, use request.body. With FastAPI, use await request.body().',
    text: python,
  },
  {
    language: 'go',
    name: 'Go',
    rawBody:
      'Read the body with io.ReadAll(request.Body) before you decode the JSON. Pass request.Header.Get.',
    text: go,
  },
  {
    language: 'java',
    name: 'Java',
    rawBody: 'With Spring, declare the parameter @RequestBody byte[] body, and decode the JSON afterwards.',
    text: java,
  },
];
