import { setTimeout as pause } from 'node:timers/promises';

import { send } from '../fixtures/endpoint.js';
import { createTenantAccount, type TenantAccount } from '../fixtures/tenantAccount.js';
import { eventBody } from '../load/eventBody.js';
import { summarizeLatencies } from '../measure/latencies.js';
import { monotonicMs } from '../processes/monotonicClock.js';
import type { Sample } from '../results/report.js';
import { atMost } from '../results/targets.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const few = 10;
const many = 1000;
const quickMany = 30;
/** The groups give values for an interval. */
const groups = 8;
/** The number of events of each account in a group. */
const eventsEach = 50;
const quickEventsEach = 5;
/** The time between two events, in milliseconds. It is so long that delivery reads the webhooks of each event. */
const betweenEventsMs = 25;

const names = {
  few: `p50 from post to receiver, with ${few} tenants`,
  many: `p50 from post to receiver, with ${many.toLocaleString('en')} tenants`,
  ratio: `p50 from post to receiver, ${many.toLocaleString('en')} / ${few} tenants`,
} as const;

/** Whether the number of tenants of an account changes what its events cost. */
export const tenants: Scenario = {
  name: 'tenants',
  description: `events of an account with ${few} tenants and of one with ${many.toLocaleString('en')}, with a webhook for each tenant`,
  webhooks: 1,
  isForBare: false,
  pairs: 1,
  rows: [
    { figure: names.few, unit: 'ms' },
    { figure: names.many, unit: 'ms' },
    { figure: names.ratio, unit: '×', targets: [atMost(1.2)] },
  ],
  measure: async (context) => {
    const { quick, endpoint, pipelineOptions, receiver } = context;
    const create = (count: number) =>
      createTenantAccount(pipelineOptions.config, endpoint, { tenants: count, url: receiver.webhookUrl(0) });
    const accounts = { few: await create(few), many: await create(quick ? quickMany : many) };
    const times = quick ? quickEventsEach : eventsEach;
    // It opens connections and compiles code.
    await measureGroup(context, accounts, times);
    const samples: Sample[] = [];
    for (let group = 0; group < groups; group += 1) {
      samples.push(await measureGroup(context, accounts, times));
    }
    return samples;
  },
};

interface Accounts {
  readonly few: TenantAccount;
  readonly many: TenantAccount;
}

/** Posts events of both accounts in turn, in the order ABBA, so that a drift of the machine favors neither. */
async function measureGroup(context: ScenarioContext, accounts: Accounts, times: number): Promise<Sample> {
  const numbers = context.takeNumbers(2 * times);
  const posted: { readonly name: keyof Accounts; readonly at: number }[] = [];
  for (let time = 0; time < times; time += 1) {
    for (const name of time % 2 === 0 ? (['few', 'many'] as const) : (['many', 'few'] as const)) {
      const { endpoint, tenantIds } = accounts[name];
      const event = JSON.parse(eventBody(numbers.first + posted.length)) as object;
      // Different tenants, from all parts of the account.
      const tenantId = tenantIds[Math.floor((time * tenantIds.length) / times)];
      const at = monotonicMs();
      posted.push({ name, at });
      await send(endpoint, 'POST', '/v1/events', { ...event, tenantId });
      await pause(Math.max(0, at + betweenEventsMs - monotonicMs()));
    }
  }
  const [arrivals] = await context.allArrivals(numbers);
  const p50Of = (name: keyof Accounts) =>
    summarizeLatencies(
      posted.flatMap((one, index) =>
        one.name === name ? [(arrivals?.arrivedAt[index] ?? NaN) - one.at] : [],
      ),
    ).p50;
  const [ofFew, ofMany] = [p50Of('few'), p50Of('many')];
  return { [names.few]: ofFew, [names.many]: ofMany, [names.ratio]: ofMany / ofFew };
}
