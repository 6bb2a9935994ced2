import { setTimeout as pause } from 'node:timers/promises';

import { send, type Endpoint } from '../fixtures/endpoint.js';
import { measuredType } from '../load/eventBody.js';
import { latenciesOf, windowsOf } from '../measure/figures.js';
import { atMost } from '../results/targets.js';
import { onsetSeconds, prepareHangingWebhooks } from './hangingWebhooks.js';
import type { Scenario, ScenarioContext } from './scenario.js';

const tenantId = 'busy';
/** The most webhooks that a tenant can have. */
const webhooks = 100;
const quickWebhooks = 10;
const perSecond = 25;
const secondsEach = 40;
const quickFraction = 1 / 20;
/** The time between two events of the busy tenant, in milliseconds. Each goes to all of its webhooks. */
const betweenBusyEventsMs = 1000;

const names = {
  alone: 'p99 without events of the other tenant',
  answering: 'p99, while the webhooks of the other tenant answer',
  hanging: 'p99, while they hang',
  hangingToAlone: 'p99, hang / without',
  hangingToAnswering: 'p99, hang / answer',
} as const;

/** Whether a tenant whose webhooks hang delays the other events of its account. */
export const hungTenant: Scenario = {
  name: 'hungTenant',
  description: `${perSecond} events a second of an account next to a tenant with an event a second to ${webhooks} webhooks that answer or hang`,
  webhooks: 1,
  isForBare: false,
  pairs: 1,
  rows: [
    { figure: names.alone, unit: 'ms' },
    { figure: names.answering, unit: 'ms' },
    { figure: names.hanging, unit: 'ms' },
    { figure: names.hangingToAlone, unit: '×', targets: [atMost(1.3)] },
    { figure: names.hangingToAnswering, unit: '×', targets: [atMost(1.3)] },
  ],
  prepare: async (context) => {
    await send(context.endpoint, 'PUT', `/v1/tenants/${tenantId}`, {});
    await prepareHangingWebhooks(context, context.quick ? quickWebhooks : webhooks, { tenantId });
  },
  measure: async (context) => {
    const { receiver, endpoint } = context;
    await receiver.hang(false);
    const alone = await p99s(context, secondsEach);
    const answering = await duringEvents(endpoint, () => p99s(context, secondsEach));
    await receiver.hang(true);
    const hanging = await duringEvents(endpoint, async () => {
      await p99s(context, onsetSeconds);
      return p99s(context, secondsEach);
    });
    await receiver.hang(false);
    return hanging.map((p99, index) => {
      const [before = NaN, control = NaN] = [alone[index], answering[index]];
      return {
        [names.alone]: before,
        [names.answering]: control,
        [names.hanging]: p99,
        [names.hangingToAlone]: p99 / before,
        [names.hangingToAnswering]: p99 / control,
      };
    });
  },
};

/** Posts events of the busy tenant while work runs. */
async function duringEvents<Result>(endpoint: Endpoint, work: () => Promise<Result>): Promise<Result> {
  const ended = new AbortController();
  const post = async () => {
    while (!ended.signal.aborted) {
      await send(endpoint, 'POST', '/v1/events', { type: measuredType, data: {}, tenantId });
      await pause(betweenBusyEventsMs);
    }
  };
  const working = work().finally(() => {
    ended.abort();
  });
  const [result] = await Promise.all([working, post()]);
  return result;
}

/** The 99th percentile of each window of a load, from the due time of an event to its arrival. */
async function p99s({ quick, deliver }: ScenarioContext, seconds: number): Promise<readonly number[]> {
  const count = Math.ceil(perSecond * seconds * (quick ? quickFraction : 1));
  const load = await deliver(count, { loop: 'open', perSecond });
  return windowsOf(load).map((window) => latenciesOf(window).p99);
}
