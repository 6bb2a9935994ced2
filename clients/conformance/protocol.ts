import { z } from 'zod';

/** How a driver constructs the client of its library. What is absent is not passed to the library. */
export interface Settings {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
}

const eventSchema = z.object({
  id: z.string(),
  type: z.string(),
  created: z.iso.datetime({ offset: true }),
  data: z.record(z.string(), z.unknown()).optional(),
  rawData: z.string().optional(),
});

const webhookSchema = z.object({
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  status: z.string(),
  description: z.string().nullable(),
  created: z.iso.datetime({ offset: true }),
  secret: z.string().optional(),
});

const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), hasMore: z.boolean() });
const itemsOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });

const schemas = {
  'events.create': eventSchema,
  'events.retrieve': eventSchema,
  'events.list': pageOf(eventSchema),
  'events.listAll': itemsOf(eventSchema),
  'events.stream': itemsOf(eventSchema),
  'webhooks.create': webhookSchema,
  'webhooks.retrieve': webhookSchema,
  'webhooks.update': webhookSchema,
  'webhooks.delete': z.object({ id: z.string(), deleted: z.literal(true) }),
  'webhooks.list': pageOf(webhookSchema),
  'webhooks.listAll': itemsOf(webhookSchema),
  'eventTypes.dryRun': z.object({ checked: z.int() }),
  'replays.dryRun': z.object({ matched: z.int() }),
  verifyWebhook: z.object({ event: z.record(z.string(), z.unknown()) }),
  signWebhook: z.object({ headers: z.record(z.string(), z.string()) }),
} as const;

export type Command = keyof typeof schemas;
/** The result of each command. */
export type Results = { readonly [Name in Command]: z.output<(typeof schemas)[Name]> };

export const resultSchemas: { readonly [Name in Command]: z.ZodType<Results[Name]> } = schemas;

interface PageArguments {
  readonly limit?: number;
  readonly startingAfter?: string;
  readonly endingBefore?: string;
}

interface EventsArguments {
  readonly type?: string;
  readonly raw?: boolean;
}

type Data = { readonly data: Readonly<Record<string, unknown>> } | { readonly rawData: string };
type Body = { readonly body: string } | { readonly bodyBase64: string };

/** The arguments of each command. */
export interface Arguments extends Record<Command, object> {
  'events.create': Data & { readonly type: string; readonly idempotencyKey?: string };
  'events.retrieve': { readonly id: string; readonly raw?: boolean };
  'events.list': PageArguments & EventsArguments;
  'events.listAll': Pick<PageArguments, 'limit'> & EventsArguments;
  'events.stream': {
    readonly count: number;
    readonly lastEventId?: string;
    readonly types?: readonly string[];
    readonly raw?: boolean;
  };
  'webhooks.create': {
    readonly url: string;
    readonly events: readonly string[];
    readonly description?: string;
    readonly idempotencyKey?: string;
  };
  'webhooks.retrieve': { readonly id: string };
  'webhooks.update': { readonly id: string; readonly changes: Readonly<Record<string, unknown>> };
  'webhooks.delete': { readonly id: string };
  'webhooks.list': PageArguments;
  'webhooks.listAll': Pick<PageArguments, 'limit'>;
  'eventTypes.dryRun': { readonly name: string; readonly schema: object };
  'replays.dryRun': { readonly webhookId: string; readonly since: string; readonly only: 'all' };
  verifyWebhook: Body & {
    readonly headers: Readonly<Record<string, string | readonly string[]>>;
    readonly secrets: readonly string[];
    readonly toleranceSeconds?: number;
  };
  signWebhook: {
    readonly id: string;
    readonly timestamp: number;
    readonly body: string;
    readonly secrets: readonly string[];
  };
}

const errorSchema = z.object({
  type: z.enum([
    'invalid_request_error',
    'authentication_error',
    'permission_error',
    'idempotency_error',
    'rate_limit_error',
    'api_error',
    'connection_error',
    'invalid_response_error',
    'stream_gap_error',
    'verification_error',
    'argument_error',
    'unexpected_error',
  ]),
  code: z.string().nullable(),
  param: z.string().nullable(),
  requestId: z.string().nullable(),
  status: z.int().nullable(),
  message: z.string(),
});
export type DrivenError = z.output<typeof errorSchema>;

/** A line that a driver writes. The result is checked with the schema of its command. */
export const answerSchema = z.union([
  z.strictObject({ error: errorSchema }),
  z.strictObject({ result: z.unknown() }),
]);
