// A platform whose customers manage their own webhooks, in a page of Postrider that it embeds:
//
//   POSTRIDER_API_KEY=sk_live_… node examples/portal/server.mjs
//
// The account must list the origin of this server in `portal.origins`: see docs/portal.md.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import express from 'express';

const {
  POSTRIDER_URL: service = 'http://127.0.0.1:3000',
  POSTRIDER_API_KEY: apiKey = '',
  HOST: host = '127.0.0.1',
  PORT: port = '4100',
} = process.env;

function exit(reason) {
  console.error(reason);
  process.exit(1);
}

if (apiKey === '') {
  exit('Set POSTRIDER_API_KEY to a live key of the account.');
}

/** The customers of this platform. Each one is a tenant, which has the same id. */
const customers = new Map([
  ['customer-42', { id: 'customer-42', name: 'Acme Ltd' }],
  ['customer-43', { id: 'customer-43', name: 'Globex' }],
]);
/** The customers who are signed in, by the value of their cookie. */
const signedIn = new Map();

function signedInCustomer({ headers: { cookie = '' } }) {
  return signedIn.get(/(?:^|; )session=([^;]*)/.exec(cookie)?.[1]);
}

/** Sends a request to Postrider, with the key that never leaves this server. */
async function request(method, path, body) {
  const response = await fetch(`${service}${path}`, {
    method,
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error) => {
    throw new Error(`Postrider cannot be reached at ${service}.`, { cause: error });
  });
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { code, message } = answer.error ?? {};
    throw new Error(`${method} ${path} was answered with ${response.status} ${code}: ${message}`);
  }
  return answer;
}

const app = express();
app.get('/', (browserRequest, response, next) => {
  if (signedInCustomer(browserRequest) === undefined) {
    response.redirect('/sign-in.html');
    return;
  }
  next();
});
app.use(express.static(fileURLToPath(new URL('public', import.meta.url))));

// Your own sign-in belongs here. This one asks for no password.
app.post('/sign-in', express.urlencoded({ extended: false }), ({ body = {} }, response) => {
  const customer = customers.get(body.customer);
  if (customer === undefined) {
    response.status(400).send('There is no such customer.');
    return;
  }
  const session = randomUUID();
  signedIn.set(session, customer);
  // With https, add `secure: true`.
  response.cookie('session', session, { httpOnly: true, sameSite: 'lax' }).redirect(303, '/');
});

// The page asks for a portal session when it opens, and again when the session has ended. The sign-in decides whose
// session it is, and nothing that the browser sends.
app.post('/portal-session', async (browserRequest, response) => {
  const customer = signedInCustomer(browserRequest);
  if (customer === undefined) {
    response.status(401).end();
    return;
  }
  try {
    const tenant = `/v1/tenants/${encodeURIComponent(customer.id)}`;
    // Creates the tenant at the first visit. At a later one, it only sets the name again.
    await request('PUT', tenant, { name: customer.name });
    const { url, token } = await request('POST', `${tenant}/portal-sessions`, {});
    response.set('Cache-Control', 'no-store').status(201).json({ url, token });
  } catch (error) {
    // The reason is for the developer. The customer sees a sentence of the page.
    console.error(error.message);
    response.status(502).end();
  }
});

app.listen(Number(port), host, (error) => {
  if (error !== undefined) {
    exit(`Cannot listen on port ${port} (${error.code}). Set PORT to another one.`);
  }
  console.log(`The platform is at http://${host}:${port}/`);
});
