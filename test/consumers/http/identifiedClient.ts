import { createEgressProxy } from '../../../consumers/egress/egressProxy.js';
import type { ClientIdentity } from '../../../consumers/http/connections.js';
import { createHttpAttempt } from '../../../consumers/http/httpAttempt.js';
import { createLogger } from '../../../shared/core/logger.js';
import { egressProxySetting } from '../../../shared/settings/egressProxy.js';
import { body, settings } from './deliveries.js';

/** Sequential attempts with client certificates. */
interface Attempts {
  readonly proxyUrl: string | null;
  readonly attempts: readonly { readonly url: string; readonly identity: ClientIdentity | null }[];
}

// Node reads NODE_EXTRA_CA_CERTS only at its start, so only a separate process trusts a test's authority.
const { proxyUrl, attempts } = JSON.parse(process.argv[2] ?? '') as Attempts;
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
const egressProxy =
  proxyUrl === null ? null : createEgressProxy(egressProxySetting.parse(proxyUrl), { logger });
const http = createHttpAttempt({ ...settings, allowHttp: false }, { egressProxy });
const outcomes = [];
for (const { url, identity } of attempts) {
  const request = { url, eventId: 'evt_1', body, secrets: [], identity: identity ?? undefined };
  const { statusCode, error } = await http.attempt(request);
  outcomes.push(statusCode ?? error?.code);
}
http.close();
egressProxy?.close();
process.stdout.write(JSON.stringify(outcomes));
