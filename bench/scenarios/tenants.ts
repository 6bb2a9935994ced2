import { setTimeout as pause } from 'node:timers/promises';

import { inParallel } from '../../shared/concurrency/inParallel.js';
import { createWebhook, requestJson } from '../fixtures/endpoint.js';
import {
  createTenantAccount,
  creationNames,
  webhooksOfTenant,
  type TenantAccount,
} from '../fixtures/tenantAccounts.js';
import { eventBody } from '../load/eventBody.js';
import { summarizeLatencies } from '../measure/latencies.js';
import type { PipelineOptions } from '../pipelines/pipeline.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import type { Figure } from '../results/result.js';
import { atLeast, atMost } from '../results/targets.js';
import type { EventNumbers, Scenario, ScenarioContext } from './scenario.js';

const few = 10;
/** The groups give values for an interval. */
const groups = 8;
/** The number of requests of each kind, to each account, in a group. */
const sizes = { requests: 100, creations: 20 };
const quickSizes = { requests: 5, creations: 2 };
/** The time between two events, in milliseconds. It is so long that delivery reads the webhooks of each event. */
const betweenEventsMs = 25;
const deletedAtOnce = 20;

const operations = {
  posting: 'posting an event',
  matching: 'from post to three receivers',
  tenants: 'listing ten tenants',
  webhooks: 'listing the webhooks of a tenant',
  creating: 'creating one more webhook',
} as const;

type Operation = keyof typeof operations;
type Latencies = Readonly<Record<Operation, number[]>>;

/** The accounts whose figures are compared. The order is the order of their names in `named`. */
interface Accounts {
  readonly few: TenantAccount;
  readonly many: TenantAccount;
}

/** A repeated block measures the same accounts, because their creation takes up to an hour. */
const created = new WeakMap<PipelineOptions, Promise<Accounts>>();

/** Whether the number of tenants of an account changes what its requests and deliveries cost. */
export const tenants: Scenario = {
  name: 'tenants',
  description: 'one account with ten tenants and one with 100,000, with three webhooks for each tenant',
  webhooks: webhooksOfTenant,
  pairs: 1,
  pipelines: ['service'],
  targets: [
    atLeast(creationNames.webhooks, 150, '/s'),
    ...Object.values(operations).map((name) => atMost(ratioName(name, 'p50'), 1.2, '×')),
  ],
  measure: async (context) => {
    const accounts = await accountsOf(context);
    const { requests, creations } = context.quick ? quickSizes : sizes;
    const added: (readonly [TenantAccount, string])[] = [];
    const figures: (readonly Figure[])[] = [];
    // The first group opens connections and compiles code.
    for (let group = 0; group <= groups; group += 1) {
      const latencies = { few: emptyLatencies(), many: emptyLatencies() };
      await postEvents(context, accounts, latencies, requests);
      await readLists(accounts, latencies, requests);
      added.push(...(await createWebhooks(accounts, latencies, creations)));
      // With more webhooks, an account would take longer for reasons other than its tenants.
      await inParallel(added.splice(0), deletedAtOnce, ([{ endpoint }, id]) =>
        requestJson(endpoint, `/v1/webhooks/${id}`, { method: 'DELETE' }),
      );
      figures.push(group === 0 ? [] : figuresOf(latencies));
    }
    return [
      { name: 'tenants of the large account', unit: 'tenants', value: accounts.many.tenantIds.length },
      ...accounts.many.creation,
      ...figures.flat(),
    ];
  },
};

function accountsOf(context: ScenarioContext): Promise<Accounts> {
  const create = async () => ({
    few: await createTenantAccount(context, few),
    many: await createTenantAccount(context, context.tenants),
  });
  const accounts = created.get(context.pipelineOptions) ?? create();
  created.set(context.pipelineOptions, accounts);
  return accounts;
}

/** Alternates the accounts in the order ABBA, so that a drift of the machine favors neither. */
async function inTurn(
  accounts: Accounts,
  times: number,
  work: (name: keyof Accounts, account: TenantAccount, time: number) => Promise<unknown>,
): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    for (const name of time % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      await work(name, accounts[name], time);
    }
  }
}

/** Posts events of different tenants, and measures the time of the answer and the time until all three webhooks have the event. */
async function postEvents(
  context: ScenarioContext,
  accounts: Accounts,
  latencies: Readonly<Record<keyof Accounts, Latencies>>,
  times: number,
): Promise<void> {
  const numbers: EventNumbers = context.takeNumbers(2 * times);
  const posted: { readonly name: keyof Accounts; readonly at: number }[] = [];
  await inTurn(accounts, times, async (name, account, time) => {
    const body = JSON.parse(eventBody(numbers.first + posted.length)) as object;
    const at = monotonicMs();
    posted.push({ name, at });
    await requestJson(account.endpoint, '/v1/events', {
      method: 'POST',
      body: { ...body, tenantId: tenantOf(account, time) },
    });
    latencies[name].posting.push(monotonicMs() - at);
    await pause(Math.max(0, at + betweenEventsMs - monotonicMs()));
  });
  const arrivals = await context.allArrivals(numbers);
  for (const [index, { name, at }] of posted.entries()) {
    latencies[name].matching.push(Math.max(...arrivals.map(({ arrivedAt }) => arrivedAt[index] ?? NaN)) - at);
  }
}

/** The account with few tenants has a page of ten, so the pages have the same length. */
async function readLists(
  accounts: Accounts,
  latencies: Readonly<Record<keyof Accounts, Latencies>>,
  times: number,
): Promise<void> {
  await inTurn(accounts, times, async (name, account, time) => {
    const { endpoint } = account;
    const tenantId = tenantOf(account, time);
    latencies[name].tenants.push(await timeOf(() => requestJson(endpoint, `/v1/tenants?limit=${few}`)));
    latencies[name].webhooks.push(
      await timeOf(() => requestJson(endpoint, `/v1/webhooks?tenantId=${tenantId}`)),
    );
  });
}

/** Creates webhooks that get no event. Returns each with its account. */
async function createWebhooks(
  accounts: Accounts,
  latencies: Readonly<Record<keyof Accounts, Latencies>>,
  times: number,
): Promise<readonly (readonly [TenantAccount, string])[]> {
  const added: (readonly [TenantAccount, string])[] = [];
  await inTurn(accounts, times, async (name, account, time) => {
    const webhook = { url: 'http://127.0.0.1:9/', events: ['none'], tenantId: tenantOf(account, time) };
    latencies[name].creating.push(
      await timeOf(async () => added.push([account, await createWebhook(account.endpoint, webhook)])),
    );
  });
  return added;
}

/** Different tenants, from all parts of the account. */
function tenantOf({ tenantIds }: TenantAccount, time: number): string {
  const step = Math.max(1, Math.floor(tenantIds.length / sizes.requests));
  return tenantIds[(time * step) % tenantIds.length] ?? '';
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = monotonicMs();
  await work();
  return monotonicMs() - startedAt;
}

function emptyLatencies(): Latencies {
  return { posting: [], matching: [], tenants: [], webhooks: [], creating: [] };
}

function figuresOf(latencies: Readonly<Record<keyof Accounts, Latencies>>): readonly Figure[] {
  return (Object.entries(operations) as [Operation, string][]).flatMap(([operation, name]) => {
    const ofFew = summarizeLatencies(latencies.few[operation]);
    const ofMany = summarizeLatencies(latencies.many[operation]);
    return (['p50', 'p99'] as const).flatMap((percentile): readonly Figure[] => [
      { name: `${name}, ${percentile} with ten tenants`, unit: 'ms', value: ofFew[percentile] },
      { name: `${name}, ${percentile} with all tenants`, unit: 'ms', value: ofMany[percentile] },
      { name: ratioName(name, percentile), unit: '×', value: ofMany[percentile] / ofFew[percentile] },
    ]);
  });
}

function ratioName(operation: string, percentile: 'p50' | 'p99'): string {
  return `${operation}, ${percentile} with all tenants / with ten`;
}
