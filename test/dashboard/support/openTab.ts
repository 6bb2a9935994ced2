import { setTimeout as pause } from 'node:timers/promises';

import type { Page, Request } from 'playwright-core';

import { eventually } from '../../support/eventually.js';
import { startReceiver } from '../../support/receiver.js';
import { openLine } from './brokenLine.js';
import { goodStates } from './goodStates.js';
import { startVisit, type Visit } from './visitor.js';

export interface OpenTabTerms {
  /** The duration of each phase for the page, in milliseconds. */
  readonly phaseMs: number;
  /** The real time in which the page's clock advances by a second, in milliseconds. 1000 leaves the clock unchanged. */
  readonly secondMs: number;
}

/** A state of the page that contradicts the state of the service. */
export type Contradiction = string;

/** The time in which the page must show a new state, in milliseconds of its clock. After failures, it refreshes every 30 s. */
const noticedMs = 45_000;

const phases = ['good', 'failing', 'delivered', 'cut', 'restored', 'failing', 'cut', 'delivered'] as const;

type Phase = (typeof phases)[number];

/** The phases in which the page may say that deliveries have no trouble. */
const isGood: Readonly<Record<Phase, boolean>> = {
  good: true,
  failing: false,
  delivered: true,
  cut: false,
  restored: true,
};

/** Leaves the overview open while a webhook fails and recovers, and while the service is unreachable. */
export async function watchOpenTab({ phaseMs, secondMs }: OpenTabTerms): Promise<readonly Contradiction[]> {
  const world = await startWorld();
  const found: Contradiction[] = [];
  try {
    const { page } = world;
    const passSecond = secondMs === 1000 ? () => pause(secondMs) : await installFastClock(page, secondMs);
    await page.goto(world.visit.addressOf(''));
    for (const [at, phase] of phases.entries()) {
      await world.enter(phase);
      const contradictions = await watchPhase(page, phase, { phaseMs, passSecond });
      found.push(...contradictions.map((what) => `${at} ${phase}: ${what}`));
    }
  } finally {
    await world.close();
  }
  return [...new Set(found)];
}

/** Lets a second pass on the clock of the page. */
type PassSecond = () => Promise<void>;

/**
 * Replaces the clock of the page by a faster one. The clock stops while a request is in flight, because the service
 * does not become faster.
 */
async function installFastClock(page: Page, secondMs: number): Promise<PassSecond> {
  const inFlight = new Set<Request>();
  page.on('request', (request) => inFlight.add(request));
  page.on('requestfinished', (request) => inFlight.delete(request));
  page.on('requestfailed', (request) => inFlight.delete(request));
  await page.clock.install();
  return async () => {
    await eventually('the end of all requests', () => (inFlight.size === 0 ? true : null));
    await Promise.all([pause(secondMs), page.clock.runFor(1000)]);
  };
}

interface WatchTerms extends Pick<OpenTabTerms, 'phaseMs'> {
  readonly passSecond: PassSecond;
}

async function watchPhase(
  page: Page,
  phase: Phase,
  { phaseMs, passSecond }: WatchTerms,
): Promise<readonly Contradiction[]> {
  const found: Contradiction[] = [];
  for (let elapsedMs = 0; elapsedMs < phaseMs; elapsedMs += 1000) {
    await passSecond();
    if (elapsedMs >= noticedMs) {
      found.push(...contradictionsOf(phase, await goodStates(page)));
    }
  }
  return found;
}

function contradictionsOf(phase: Phase, good: readonly string[]): readonly string[] {
  if (isGood[phase]) {
    return good.length === 0 ? ['the page does not show the good state'] : [];
  }
  return good.map((text) => `the page shows “${text}”`);
}

interface World {
  readonly visit: Visit;
  readonly page: Page;
  readonly enter: (phase: Phase) => Promise<void>;
  readonly close: () => Promise<void>;
}

async function startWorld(): Promise<World> {
  let status = 200;
  const receiver = await startReceiver((_request, response) => response.writeHead(status).end());
  const shared = await startVisit();
  const line = await openLine(shared.service.address);
  await shared.close();
  const visit = await startVisit(undefined, shared.service, line.address);
  const { client } = visit;
  await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
  const ids: string[] = [];

  const postEvent = async (until: string) => {
    const id = String((await client.post('/v1/events', { type: 'order.completed', data: {} })).body['id']);
    ids.push(id);
    await becomes(id, until);
  };
  const becomes = (id: string, until: string) =>
    eventually(`the delivery ${until}`, async () =>
      (await client.get(`/v1/events/${id}`)).text.includes(`"status":"${until}"`) ? true : null,
    );
  const enter: Readonly<Record<Phase, () => Promise<unknown>>> = {
    good: () => postEvent('delivered'),
    failing: () => {
      status = 500;
      return postEvent('retrying');
    },
    delivered: async () => {
      status = 200;
      line.restore();
      const id = ids.at(-1) ?? '';
      await client.post(`/v1/events/${id}/resend`, {});
      await becomes(id, 'delivered');
    },
    cut: () => {
      line.cut();
      return Promise.resolve();
    },
    restored: () => {
      line.restore();
      return Promise.resolve();
    },
  };
  const page = await visit.open('/plan');
  return {
    visit,
    page,
    enter: async (phase) => {
      await enter[phase]();
    },
    close: async () => {
      await visit.close();
      await line.close();
      await receiver.close();
    },
  };
}
