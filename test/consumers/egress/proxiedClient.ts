import { createEgressProxy } from '../../../consumers/egress/egressProxy.js';
import { createHttpAttempt } from '../../../consumers/http/httpAttempt.js';
import { createLogger } from '../../../shared/core/logger.js';
import { egressProxySetting } from '../../../shared/settings/egressProxy.js';
import { body, settings } from '../http/deliveries.js';

// Node reads NODE_EXTRA_CA_CERTS only at its start, so only a separate process trusts a test's certificate.
const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
const [proxyUrl = '', ...urls] = process.argv.slice(2);
const egressProxy = createEgressProxy(egressProxySetting.parse(proxyUrl), { logger });
const attempts = createHttpAttempt({ ...settings, allowHttp: false }, { egressProxy });
const outcomes = await Promise.all(
  urls.map((url) => attempts.attempt({ url, eventId: 'evt_1', body, secrets: [] })),
);
attempts.close();
egressProxy.close();
process.stdout.write(JSON.stringify(outcomes.map(({ statusCode, error }) => ({ statusCode, error }))));
