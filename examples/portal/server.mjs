// A platform that lets its customers manage their own webhooks, in a page of Postrider that it embeds:
//
//   POSTRIDER_API_KEY=sk_live_… node examples/portal/server.mjs
//
// The account must list the address of this server in `portal.origins` (PATCH /v1/account).
import { fileURLToPath } from 'node:url';

import express from 'express';

const {
  POSTRIDER_URL: service = 'http://127.0.0.1:3000',
  POSTRIDER_API_KEY: apiKey = '',
  HOST: host = '127.0.0.1',
  PORT: port = '4100',
} = process.env;

if (apiKey === '') {
  console.error('Set POSTRIDER_API_KEY to a key with the scope tenants:write.');
  process.exit(1);
}

/** Your own sign-in decides who the customer is. Never take the tenant from what a browser sends. */
function signedInCustomer() {
  return { id: 'customer-42', name: 'Acme Ltd' };
}

async function request(method, path, body) {
  const response = await fetch(`${service}${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) {
    throw new Error(`${method} ${path}: ${response.status} ${answer.error?.code}`);
  }
  return answer;
}

const app = express();
app.use(express.static(fileURLToPath(new URL('public', import.meta.url))));

// The page asks for a session when it opens, and again when the session has ended.
app.post('/portal-session', async (_request, response) => {
  const { id, name } = signedInCustomer();
  const tenant = encodeURIComponent(id);
  // Creates the tenant at the customer's first visit. For a tenant that exists, it changes nothing.
  await request('PUT', `/v1/tenants/${tenant}`, { name });
  const { url, token } = await request('POST', `/v1/tenants/${tenant}/portal-sessions`, {
    expiresIn: Number(process.env.SESSION_SECONDS ?? 3600),
  });
  response.set('Cache-Control', 'no-store').status(201).json({ url, token });
});

app.listen(Number(port), host, () => {
  console.log(`The platform is at http://${host}:${port}/`);
});
