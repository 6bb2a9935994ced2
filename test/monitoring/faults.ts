import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { startBuilding } from '../../cli/rebuild/startBuilding.js';
import { withStores } from '../../cli/environment/stores.js';
import type { RecordContext } from '../../shared/domain/core/fact.js';
import { eventTypeKey } from '../../shared/domain/eventTypes/eventType.js';
import { eventTypeRecords } from '../../shared/log/records/eventTypes.js';
import { modelNames } from '../../shared/store/models/modelDefinitions.js';
import { appendEvents } from '../support/appendEvents.js';
import { plainRecord } from '../support/log.js';
import type { ObservedService } from './observedService.js';

/** Names the step, and observes the service for this number of seconds. */
export type Step = (what: string, seconds: number) => Promise<void>;

/** Causes a fault in a fresh service. */
export type Fault = (service: ObservedService, step: Step) => Promise<void>;

export const faults: Readonly<Record<string, Fault>> = {
  healthy: async (service, step) => {
    await createWebhook(service, 'works');
    runHealthyTraffic(service);
    await step('clients send events, and a few rejected or slowly uploaded requests', 10);
    await append(service, 20_000);
    await step('20,000 events were appended and are delivered', 60);
    await withStores(service.config, async (stores) => {
      for (const model of modelNames) {
        await startBuilding(stores, model, 'switch');
      }
    });
    await step('all read models are rebuilt', 45);
  },

  'kafka-unavailable': async (service, step) => {
    runHealthyTraffic(service);
    await step('clients send events', 15);
    service.stack.kafka.pause();
    await step('Kafka does not answer', 40);
  },

  'mongodb-unavailable': async (service, step) => {
    await createWebhook(service, 'fails');
    await step('a webhook is created', 10);
    await append(service, 300);
    await step('300 events are attempted, and fail', 6);
    service.stack.mongodb.pause();
    await append(service, 100);
    await step('MongoDB does not answer, more events wait, and the retries become due', 45);
  },

  'mongodb-unavailable-before-the-first-attempt': async (service, step) => {
    await createWebhook(service, 'works');
    probe(service);
    await step('a webhook is created, and nothing but probes arrives', 10);
    service.stack.mongodb.pause();
    await append(service, 10);
    await step('MongoDB does not answer, and events wait', 35);
  },

  'redis-unavailable': async (service, step) => {
    runHealthyTraffic(service);
    await step('clients send events', 10);
    await service.stack.redis.kill();
    await step('Redis was killed', 20);
  },

  'slow-kafka': async (service, step) => {
    runHealthyTraffic(service);
    await step('clients send events', 10);
    hold(service, 'kafka', { stoppedMs: 2500, runningMs: 500 });
    await step('Kafka answers for half a second of three', 40);
  },

  'failing-webhook': async (service, step) => {
    await createWebhook(service, 'fails');
    await step('a webhook is created', 10);
    service.repeat(100, () => post(service));
    await step('its server answers 500', 40);
  },

  'unreadable-record': async (service, step) => {
    await step('nothing happens', 15);
    await service.log.append(plainRecord('events', 'not an id', 'not an event'));
    await step('a record that is no event was appended', 20);
  },

  'record-that-cannot-be-folded': async (service, step) => {
    await withStores(service.config, async ({ aliases, mongo }) => {
      const alias = await aliases.find('events');
      await mongo.database.command({ collMod: alias?.live, validator: { type: { $ne: 'order.rejected' } } });
    });
    await step('MongoDB is set to reject documents of one event type', 15);
    await append(service, 1, 'order.rejected');
    await step('an event of that type was appended', 20);
  },

  'schema-of-another-version': async (service, step) => {
    runHealthyTraffic(service);
    await step('clients send events', 15);
    await appendEventType(service, '{"$schema":"https://example.com/another-version"}');
    await step('an event type was appended whose schema this version does not support', 20);
  },

  'slow-folds': async (service, step) => {
    runHealthyTraffic(service);
    await step('clients send events', 10);
    await slowDownWrites(service, 'postrider-projections');
    await step(`MongoDB takes ${String(slowWriteMs)} ms for each write of the projections`, 75);
  },

  'stopped-delivery': async (service, step) => {
    await step('all roles run', 15);
    await service.roles.delivery.stop();
    await step('the role delivery was stopped', 30);
  },

  'too-many-connections': async (service, step) => {
    await step('nothing happens', 15);
    const opened: (Socket | null)[] = [];
    while (!opened.includes(null) && opened.length < 12_000) {
      opened.push(...(await Promise.all(Array.from({ length: 250 }, () => connectIdle(service)))));
    }
    await step('clients opened connections until one was dropped', 20);
    opened.forEach((socket) => socket?.destroy());
    await step('they closed them', 10);
  },

  'busy-api': async (service, step) => {
    await step('nothing happens', 10);
    const body = JSON.stringify({ ...event, data: { text: 'x'.repeat(200_000) } });
    for (let client = 0; client < 32; client += 1) {
      service.repeat(0, () => service.call('POST', '/v1/events', body));
    }
    await step('32 clients send events of 200 kB without a pause', 40);
  },
};

const event = { type: 'order.completed', data: { n: 1 } };

const createWebhook = async ({ call, receiver }: ObservedService, path: string) => {
  const status = await call('POST', '/v1/webhooks', { url: `${receiver.url}/${path}`, events: ['*'] });
  if (status !== 201) {
    throw new Error(`the webhook was not created: ${String(status)}`);
  }
};

const post = ({ call }: ObservedService) => call('POST', '/v1/events', event);

const append = ({ log, account }: ObservedService, count: number, type = event.type) =>
  appendEvents(
    log,
    account.id,
    Array.from({ length: count }, () => ({ type, created: new Date() })),
  );

/** Appends an event type as another version of the API would. */
const appendEventType = ({ config, account }: ObservedService, schema: string) => {
  const actor = { type: 'operator', id: null, name: null } as const;
  const settings = {
    description: null,
    schema,
    examples: '[]',
    validation: 'warn',
    deprecated: false,
  } as const;
  const value = { ...settings, actor };
  const key = eventTypeKey(account.id, event.type);
  const context: RecordContext = {
    ...{ id: 'another-version', key, accountId: account.id, at: new Date() },
    mode: 'live',
  };
  const record = eventTypeRecords.encode({ type: 'postrider.event-type.created', value }, context);
  return withStores(config, (stores) => stores.log.append(record));
};

const probe = (service: ObservedService) => {
  service.repeat(1000, () => service.call('GET', '/readyz'));
};

/** The requests of clients to a healthy service. */
const runHealthyTraffic = (service: ObservedService) => {
  probe(service);
  service.repeat(200, () => post(service));
  service.repeat(1000, () => service.call('GET', '/v1/events'));
  service.repeat(1000, () => service.call('POST', '/v1/events', { ...event, type: 'no type' }));
  service.repeat(1000, () => uploadSlowly(service));
};

const uploadMs = 3000;

/** A request whose client needs three seconds for the body. */
function uploadSlowly({ roles, account }: ObservedService): Promise<void> {
  return new Promise((resolve) => {
    const body = JSON.stringify(event);
    const headers = {
      authorization: `Bearer ${account.liveKey}`,
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sent = request(`${roles.api.address}/v1/events`, { method: 'POST', headers });
    const finish = () => {
      resolve();
    };
    sent.on('response', (response) => response.resume().on('end', finish)).on('error', finish);
    sent.write(body.slice(0, 1));
    setTimeout(() => sent.end(body.slice(1)), uploadMs);
  });
}

/** Shorter than the timeout of the driver. A batch has at least two writes: its documents, and the positions of the model. */
const slowWriteMs = 3200;

function slowDownWrites({ config }: ObservedService, appName: string): Promise<void> {
  return withStores(config, async ({ mongo }) => {
    await mongo.database.admin().command({
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['insert', 'update'], appName, blockConnection: true, blockTimeMS: slowWriteMs },
    });
  });
}

/** A connection that remains open after a request, or null if the API has dropped it. */
function connectIdle({ roles }: ObservedService): Promise<Socket | null> {
  const { port } = new URL(roles.api.address);
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.once('close', () => {
      resolve(null);
    });
    socket.once('data', () => {
      resolve(socket);
    });
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  });
}

/** Suspends a server repeatedly, for a part of the time. */
function hold(
  { stack, repeat }: ObservedService,
  server: 'kafka' | 'mongodb',
  { stoppedMs, runningMs }: { readonly stoppedMs: number; readonly runningMs: number },
): void {
  repeat(runningMs, async () => {
    stack[server].pause();
    await pause(stoppedMs);
    stack[server].resume();
  });
}
