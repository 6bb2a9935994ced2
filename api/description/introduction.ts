import type { Tag } from '../route.js';

/** What holds for every operation, in CommonMark. */
export const introduction = `Postrider records events and delivers them to webhooks.

JSON in and out, UTF-8, camelCase. Times are ISO 8601 in UTC with milliseconds. Every request has the header
\`Authorization: Bearer <API_KEY>\`, or the cookie of a person who is signed in to the dashboard. Live and test data are apart: a key sees
and writes those of its mode, and test data is never delivered.

**Lists** are \`{data, hasMore}\`, newest first. \`limit\` says how many; \`startingAfter\` an id gives the page of older ones,
\`endingBefore\` the page just before it. A walk to the end of a list gives each resource once, also while new ones arrive.

**Rate limits** are requests a second for each account and mode: Free 10, Pro 100, Enterprise a number of its own. Every answer to a key
says in \`RateLimit\` what is left. Beyond it is a 429 with \`Retry-After\`.

**Errors** are \`{"error": {"type", "code", "message", "param", "requestId"}}\`. Programs go by the \`code\`. A path that does not exist is a 404 \`route_not_found\`, a method that a path does not take a 405
\`method_not_allowed\` with \`Allow\`. HEAD is served wherever GET is. Any request can also get a 400 \`http_invalid\`, a 408 \`request_timeout\` or a
431 \`headers_too_large\`, and the connection is closed then. Send a request again only if the page of its code says that it is retryable.

**Compression**: lists and resources of more than 1 KiB are compressed if a GET with an API key has \`Accept-Encoding: gzip\`.

**Fields** are added to answers without notice: ignore what you do not know. What is unknown in a request is refused.`;

export const tagDescriptions: Readonly<Record<Tag, string>> = {
  Events: 'What happened, and what became of it at each webhook.',
  Webhooks: 'URLs that get the events of the types that they ask for.',
  Replays: 'Events of a span of time, delivered to a webhook again.',
  Account: 'The account itself, and the people who may sign in to its dashboard.',
  'Sign-in': 'Sessions of people: what the dashboard uses in the place of a key.',
  'API keys': 'Keys of the account: full ones, and for Enterprise ones with scopes.',
  'Audit log': 'Who changed the account, its keys and its webhooks, and when.',
  Description: 'What describes this API.',
  Operations: 'What operators and their machines ask a process. Without an API key.',
};
