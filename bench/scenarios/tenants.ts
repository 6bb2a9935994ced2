import { setTimeout as pause } from 'node:timers/promises';

import { inParallel } from '../../shared/concurrency/inParallel.js';
import { createWebhook, get, send } from '../fixtures/endpoint.js';
import { createTenantAccount, type TenantAccount } from '../fixtures/tenantAccount.js';
import { eventBody, measuredType } from '../load/eventBody.js';
import { createComparison, type Comparison } from '../measure/comparison.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import type { Sample } from '../results/report.js';
import { atLeast, atMost } from '../results/targets.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const few = 10;
const many = 100_000;
const quickMany = 300;
/** The groups give values for an interval. */
const groups = 8;
/** The number of repetitions of each operation in a group, for each account. */
const times = 50;
const quickTimes = 5;
/** Fewer, because each creates a tenant. */
const creationsShare = 1 / 5;
/** The time between two events, in milliseconds. It is so long that delivery reads the webhooks of each event. */
const betweenEventsMs = 25;
/** For the rate of creations: the new tenants in each group, with three webhooks each. */
const createdTenants = 40;
const webhooksEach = 3;

const accountNames = ['few', 'many'] as const;

type AccountName = (typeof accountNames)[number];

/** The measured operations. An account with many tenants must not make them slower. */
const operations = {
  posting: 'posting an event',
  delivery: 'from post to receiver',
  tenants: 'a page of tenants',
  webhooks: 'the webhooks of a tenant',
  events: 'the events of a tenant',
  newTenant: 'creating a tenant',
  newWebhook: 'creating a webhook',
} as const;

type Operation = keyof typeof operations;

const operationNames: readonly Operation[] = [
  'posting',
  'delivery',
  'tenants',
  'webhooks',
  'events',
  'newTenant',
  'newWebhook',
];
const rateName = `tenants and webhooks created, with ${many.toLocaleString('en')} tenants`;

/** Whether the number of tenants of an account changes what its requests and its events cost. */
export const tenants: Scenario = {
  name: 'tenants',
  description: `an account with ${few} tenants and one with ${many.toLocaleString('en')}, which have three webhooks each`,
  webhooks: 1,
  isForBare: false,
  pairs: 1,
  rows: [
    ...operationNames.map(
      (operation) => ({ figure: ratioNameOf(operation), unit: '×', targets: [atMost(1.2)] }) as const,
    ),
    { figure: rateName, unit: '/s', targets: [atLeast(150)] },
  ],
  measure: async (context) => {
    const { quick, endpoint, pipelineOptions, receiver } = context;
    const create = (count: number) =>
      createTenantAccount(pipelineOptions.config, endpoint, { tenants: count, url: receiver.webhookUrl(0) });
    const accounts = { few: await create(few), many: await create(quick ? quickMany : many) };
    await context.untilDrained();
    const samples: Sample[] = [];
    // The first group opens connections and compiles code.
    for (let group = 0; group <= groups; group += 1) {
      samples.push(await measureGroup(context, accounts, group));
    }
    return samples.slice(1);
  },
};

function ratioNameOf(operation: Operation): string {
  return `${operations[operation]}, p50 with ${many.toLocaleString('en')} / ${few} tenants`;
}

type Accounts = Readonly<Record<AccountName, TenantAccount>>;

type Latencies = Comparison<Operation, AccountName>;

async function measureGroup(context: ScenarioContext, accounts: Accounts, group: number): Promise<Sample> {
  const latencies = createComparison<Operation, AccountName>();
  const repetitions = context.quick ? quickTimes : times;
  await measureEvents(context, accounts, { latencies, repetitions });
  await measureLists(accounts, { latencies, repetitions });
  const creations = Math.ceil(repetitions * creationsShare);
  await measureCreations(context, accounts, { latencies, repetitions: creations, group });
  return { ...figuresOf(latencies), [rateName]: await creationRate(context, accounts.many, group) };
}

/** The ratio of the medians of each operation, and the medians themselves, which are no rows of the table. */
function figuresOf(latencies: Latencies): Sample {
  return Object.fromEntries(
    operationNames.flatMap((operation) => {
      const [ofFew, ofMany] = accountNames.map((name) => latencies.p50(operation, name));
      return [
        [`${operations[operation]}, p50 with few tenants in milliseconds`, ofFew ?? NaN],
        [`${operations[operation]}, p50 with many tenants in milliseconds`, ofMany ?? NaN],
        [ratioNameOf(operation), (ofMany ?? NaN) / (ofFew ?? NaN)],
      ];
    }),
  );
}

interface Measured {
  readonly latencies: Latencies;
  readonly repetitions: number;
}

/** Posts events of both accounts in turn. */
async function measureEvents(context: ScenarioContext, accounts: Accounts, measured: Measured) {
  const { latencies, repetitions } = measured;
  const numbers = context.takeNumbers(2 * repetitions);
  const posted: { readonly name: AccountName; readonly at: number }[] = [];
  await inTurn(accounts, repetitions, async (name, { endpoint }, tenantId) => {
    const event = JSON.parse(eventBody(numbers.first + posted.length)) as object;
    const at = monotonicMs();
    posted.push({ name, at });
    await timed(() => send(endpoint, 'POST', '/v1/events', { ...event, tenantId }), {
      ...{ latencies, name },
      operation: 'posting',
    });
    await pause(Math.max(0, at + betweenEventsMs - monotonicMs()));
  });
  const [arrivals] = await context.allArrivals(numbers);
  for (const [index, { name, at }] of posted.entries()) {
    latencies.add('delivery', name, (arrivals?.arrivedAt[index] ?? NaN) - at);
  }
}

async function measureLists(accounts: Accounts, { latencies, repetitions }: Measured) {
  const pathOf = {
    // No more than both accounts have.
    tenants: () => `/v1/tenants?limit=${few}`,
    webhooks: (tenantId: string) => `/v1/webhooks?tenantId=${tenantId}`,
    events: (tenantId: string) => `/v1/events?tenantId=${tenantId}`,
  } as const;
  await inTurn(accounts, repetitions, async (name, { endpoint }, tenantId) => {
    for (const operation of ['tenants', 'webhooks', 'events'] as const) {
      await timed(() => get(endpoint, pathOf[operation](tenantId)), { latencies, name, operation });
    }
  });
}

async function measureCreations(
  { receiver }: ScenarioContext,
  accounts: Accounts,
  { latencies, repetitions, group }: Measured & { readonly group: number },
) {
  const webhook = { url: receiver.webhookUrl(0), events: [measuredType] };
  let created = 0;
  await inTurn(accounts, repetitions, async (name, { endpoint }) => {
    created += 1;
    const tenantId = `new-${group}-${created}`;
    const of = { latencies, name };
    await timed(() => send(endpoint, 'PUT', `/v1/tenants/${tenantId}`, {}), {
      ...of,
      operation: 'newTenant',
    });
    await timed(() => createWebhook(endpoint, { ...webhook, tenantId }), { ...of, operation: 'newWebhook' });
  });
}

/** How many tenants and webhooks the API creates in a second. */
async function creationRate(
  { quick, receiver }: ScenarioContext,
  { endpoint }: TenantAccount,
  group: number,
): Promise<number> {
  const count = quick ? quickTimes : createdTenants;
  const ids = Array.from({ length: count }, (_, index) => `rate-${group}-${index}`);
  const webhook = { url: receiver.webhookUrl(0), events: [measuredType] };
  const beganAt = monotonicMs();
  await inParallel(ids, count, async (tenantId) => {
    await send(endpoint, 'PUT', `/v1/tenants/${tenantId}`, {});
    for (let number = 0; number < webhooksEach; number += 1) {
      await createWebhook(endpoint, { ...webhook, tenantId });
    }
  });
  return (count * (1 + webhooksEach) * 1000) / (monotonicMs() - beganAt);
}

/** Does work for both accounts in turn, in the order ABBA, so that a drift of the machine favors neither. */
async function inTurn(
  accounts: Accounts,
  repetitions: number,
  work: (name: AccountName, account: TenantAccount, tenantId: string) => Promise<void>,
): Promise<void> {
  for (let time = 0; time < repetitions; time += 1) {
    for (const name of time % 2 === 0 ? accountNames : accountNames.toReversed()) {
      const account = accounts[name];
      const { tenantIds } = account;
      // Different tenants, from all parts of the account.
      await work(name, account, tenantIds[Math.floor((time * tenantIds.length) / repetitions)] ?? '');
    }
  }
}

async function timed(
  request: () => Promise<unknown>,
  of: { readonly latencies: Latencies; readonly operation: Operation; readonly name: AccountName },
): Promise<void> {
  const beganAt = monotonicMs();
  await request();
  of.latencies.add(of.operation, of.name, monotonicMs() - beganAt);
}
