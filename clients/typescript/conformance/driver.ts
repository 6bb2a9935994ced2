import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  IdempotencyError,
  InvalidRequestError,
  InvalidResponseError,
  PermissionError,
  Postrider,
  RateLimitError,
  RawJson,
  ResponseError,
  signWebhook,
  StreamGapError,
  verifyWebhook,
  SignatureVerificationError,
  type CreateReplayRequest,
  type CreateWebhookRequest,
  type ListEventsParameters,
  type ListWebhooksParameters,
  type PutEventTypeRequest,
  type StreamEventsParameters,
  type UpdateWebhookRequest,
} from '@postrider/client';

/** A line of the suite (`clients/conformance/README.md`). */
type Command = { readonly settings: Settings } & (
  | Call<'events.create', Posting>
  | Call<'events.retrieve', Id & Raw>
  | Call<'events.list' | 'events.listAll', ListEventsParameters & Raw>
  | Call<'events.stream', StreamEventsParameters & Raw & { readonly count: number }>
  | Call<'webhooks.create', CreateWebhookRequest & Idempotent>
  | Call<'webhooks.retrieve' | 'webhooks.delete', Id>
  | Call<'webhooks.update', Id & { readonly changes: UpdateWebhookRequest }>
  | Call<'webhooks.list' | 'webhooks.listAll', ListWebhooksParameters>
  | Call<'eventTypes.dryRun', PutEventTypeRequest & { readonly name: string }>
  | Call<'replays.dryRun', CreateReplayRequest>
  | Call<'verifyWebhook', Verification>
  | Call<'signWebhook', Signing>
);

interface Call<Name extends string, Arguments> {
  readonly command: Name;
  readonly arguments: Arguments;
}

interface Settings {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
}

interface Id {
  readonly id: string;
}

interface Raw {
  readonly raw?: boolean;
}

interface Idempotent {
  readonly idempotencyKey?: string;
}

interface Posting extends Idempotent {
  readonly type: string;
  readonly data?: Record<string, unknown>;
  readonly rawData?: string;
}

interface Signed {
  readonly body?: string;
  readonly secrets: readonly string[];
}

interface Verification extends Signed {
  readonly bodyBase64?: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly toleranceSeconds?: number;
}

interface Signing extends Signed, Id {
  readonly timestamp: number;
}

async function resultOf(line: Command): Promise<object> {
  switch (line.command) {
    case 'verifyWebhook':
      return { event: await verified(line.arguments) };
    case 'signWebhook': {
      const { body = '', secrets, id, timestamp } = line.arguments;
      const options = { id, timestamp: new Date(timestamp * 1000) };
      return { headers: await signWebhook(body, secretsOf(secrets), options) };
    }
    default:
      return callResult(clientOf(line.settings), line);
  }
}

function clientOf({ apiKey, baseUrl, timeoutMs, maxRetries }: Settings): Postrider {
  return new Postrider(apiKey, { baseUrl, timeout: timeoutMs, maxRetries });
}

type ApiCall = Exclude<Command, { readonly command: 'verifyWebhook' | 'signWebhook' }>;

async function callResult(
  { events, webhooks, eventTypes, replays }: Postrider,
  call: ApiCall,
): Promise<object> {
  switch (call.command) {
    case 'events.create': {
      const { type, data = {}, rawData, idempotencyKey } = call.arguments;
      const body = { type, data: rawData === undefined ? data : new RawJson(rawData) };
      return eventOf(await events.create(body, { idempotencyKey }));
    }
    case 'events.retrieve':
      return eventOf(await events.retrieve(call.arguments.id, { rawData: call.arguments.raw }));
    case 'events.list': {
      const { raw, ...parameters } = call.arguments;
      const { data, hasMore } = await events.list(parameters, { rawData: raw });
      return { items: data.map(eventOf), hasMore };
    }
    case 'events.listAll': {
      const { raw, ...parameters } = call.arguments;
      return { items: (await itemsOf(events.list(parameters, { rawData: raw }))).map(eventOf) };
    }
    case 'events.stream': {
      const { raw, count, ...parameters } = call.arguments;
      return { items: (await itemsOf(events.stream(parameters, { rawData: raw }), count)).map(eventOf) };
    }
    case 'webhooks.create': {
      const { idempotencyKey, ...body } = call.arguments;
      return webhooks.create(body, { idempotencyKey });
    }
    case 'webhooks.retrieve':
      return webhooks.retrieve(call.arguments.id);
    case 'webhooks.update':
      return webhooks.update(call.arguments.id, call.arguments.changes);
    case 'webhooks.delete':
      return webhooks.delete(call.arguments.id);
    case 'webhooks.list': {
      const { data, hasMore } = await webhooks.list(call.arguments);
      return { items: data, hasMore };
    }
    case 'webhooks.listAll':
      return { items: await itemsOf(webhooks.list(call.arguments)) };
    case 'eventTypes.dryRun': {
      const { name, ...body } = call.arguments;
      return eventTypes.dryRun(name, body);
    }
    case 'replays.dryRun':
      return replays.dryRun(call.arguments);
  }
}

function verified({ body, bodyBase64 = '', headers, secrets, toleranceSeconds }: Verification) {
  const rawBody = body ?? Buffer.from(bodyBase64, 'base64');
  return verifyWebhook(rawBody, headers, secretsOf(secrets), { tolerance: toleranceSeconds });
}

function secretsOf(secrets: readonly string[]): string | readonly string[] {
  const [secret, ...others] = secrets;
  return secret === undefined || others.length > 0 ? secrets : secret;
}

async function itemsOf<Item>(source: AsyncIterable<Item>, count = Infinity): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of source) {
    items.push(item);
    if (items.length >= count) {
      break;
    }
  }
  return items;
}

interface AnyEvent extends Id {
  readonly type: string;
  readonly created: string;
  readonly data?: object;
}

function eventOf({ id, type, created, data }: AnyEvent): object {
  return { id, type, created, ...(data instanceof RawJson ? { rawData: data.text } : { data }) };
}

const errorTypes = [
  [InvalidRequestError, 'invalid_request_error'],
  [AuthenticationError, 'authentication_error'],
  [PermissionError, 'permission_error'],
  [IdempotencyError, 'idempotency_error'],
  [RateLimitError, 'rate_limit_error'],
  [ApiError, 'api_error'],
  [ConnectionError, 'connection_error'],
  [InvalidResponseError, 'invalid_response_error'],
  [StreamGapError, 'stream_gap_error'],
  [SignatureVerificationError, 'verification_error'],
  [TypeError, 'argument_error'],
] as const;

function errorOf(error: unknown): object {
  const [, type = 'unexpected_error'] = errorTypes.find(([Class]) => error instanceof Class) ?? [];
  const isOfApi = error instanceof ResponseError;
  const hasResponse = isOfApi || error instanceof InvalidResponseError;
  return {
    type,
    code: isOfApi ? error.code : null,
    param: isOfApi ? error.param : null,
    requestId: hasResponse ? error.requestId : null,
    status: hasResponse ? error.status : null,
    message: error instanceof Error ? error.message : String(error),
  };
}

for await (const line of createInterface({ input: stdin })) {
  const answer = await resultOf(JSON.parse(line) as Command).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: errorOf(error) }),
  );
  stdout.write(`${JSON.stringify(answer)}\n`);
}
