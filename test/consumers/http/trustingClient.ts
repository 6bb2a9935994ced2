import { createHttpAttempt } from '../../../consumers/http/httpAttempt.js';
import { body, settings } from './deliveries.js';

// Node reads NODE_EXTRA_CA_CERTS only at its start, so only a separate process trusts a test's certificate.
const attempts = createHttpAttempt({ ...settings, allowHttp: false });
const outcomes = [];
for (const url of process.argv.slice(2)) {
  const { outcome, statusCode, error, requests } = await attempts.attempt({
    url,
    eventId: 'evt_1',
    body,
    secrets: [],
  });
  outcomes.push({ outcome, statusCode, error, requests });
}
attempts.close();
process.stdout.write(JSON.stringify(outcomes));
