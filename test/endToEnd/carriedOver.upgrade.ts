import { expect } from 'chai';

import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName } from '../../cli/roles/runRole.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import { versionOf } from '../../shared/store/models/generations.js';
import { modelDefinitions } from '../../shared/store/models/modelDefinitions.js';
import { createClient, type Client } from '../support/client.js';
import { deleteRecords } from '../support/deleteRecords.js';
import { eventually } from '../support/eventually.js';
import { olderProgram, statsVersion1, type OlderProgram } from '../support/olderProgram.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { runProgram, runProgramAt, type ProgramOutcome } from '../support/program.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';

const changedModels = ['events', 'stats'] as const;
/** The versions of the older program. */
const earlierVersions = { events: modelDefinitions.events.version - 1, stats: 1 } as const;
const roleNames = ['projections', 'delivery', 'api'] as const;
/** More events than partitions, so that each partition gets some. */
const eventsBefore = 60;
const clients = 3;
const longMs = 60_000;

type Roles = Map<RoleName, RoleProcess>;

interface Totals {
  readonly events: number;
  readonly succeeded: number;
}

/**
 * A rolling update of all roles and its rollback under load. The log has deleted the records of the models. Clients use an API that is
 * ready, as behind a load balancer.
 */
describe('an upgrade of models whose records the log has deleted, under load', function () {
  this.timeout(300_000);

  let older: OlderProgram;
  let settings: Settings;
  let config: Config;
  let receiver: Receiver;
  let liveKey: string;
  let old: Roles;
  let current: Roles;
  /** The API that gets the requests. */
  let serving: Client;
  const acknowledged: string[] = [];
  const arrived = new Set<unknown>();
  const unexpected: string[] = [];
  let rebuilt: ProgramOutcome;

  const startRoles = async (names: readonly RoleName[], program?: string): Promise<Roles> => {
    const roles = await Promise.all(
      names.map(async (name) => [name, await startRoleProcess(name, settings, program)] as const),
    );
    closeAtEndOfFile(async () => {
      await Promise.all(roles.map(([, { stop }]) => stop()));
    });
    return new Map(roles);
  };

  const stopRoles = (roles: Roles) => Promise.all([...roles.values()].map(({ stop }) => stop()));

  const clientOf = (roles: Roles) => createClient(roles.get('api')?.address ?? '', liveKey);

  const readiness = async (roles: Roles, name: RoleName) =>
    (await fetch(`${roles.get(name)?.address ?? ''}/readyz`)).status;

  const untilReady = (roles: Roles) =>
    eventually(
      'readiness',
      async () => {
        const answers = await Promise.all(roleNames.map((name) => readiness(roles, name)));
        return answers.every((status) => status === 200) ? true : null;
      },
      longMs,
    );

  const answered = async (what: string, status: number, answer: ReturnType<Client['get']>) => {
    const got = await answer;
    if (got.status !== status) {
      unexpected.push(`${what}: ${got.status} ${got.text}`);
    }
    return got;
  };

  const post = async () => {
    const { body } = await answered('POST', 201, serving.post('/v1/events', { type: 'a.b', data: {} }));
    const id = String(body['id']);
    acknowledged.push(id);
    return id;
  };

  /** Posts an event, reads one that the log no longer has, and waits for the delivery. */
  const use = async () => {
    const first = acknowledged[Math.floor(Math.random() * eventsBefore)] ?? '';
    const id = await post();
    await answered('GET old event', 200, serving.get(`/v1/events/${first}`));
    await eventually(`the delivery of ${id}`, () => (arrived.has(id) ? true : null), longMs);
  };

  function startLoad() {
    let stopping = false;
    const client = async () => {
      while (!stopping) {
        await use();
      }
    };
    const running = Promise.all(Array.from({ length: clients }, client));
    return async () => {
      stopping = true;
      await running;
    };
  }

  /** The statistics of all hours so far, once they contain all deliveries. */
  const totalsAt = (client: Client) =>
    eventually(
      'figures of all deliveries',
      async () => {
        const from = new Date(Date.now() - 7_200_000).toISOString();
        const to = new Date(Date.now() + 3_600_000).toISOString();
        const { body } = await client.get(`/v1/stats/deliveries?bucket=hour&from=${from}&to=${to}`);
        const buckets = (body['data'] ?? []) as readonly Totals[];
        const totals = {
          events: buckets.reduce((sum, { events }) => sum + events, 0),
          succeeded: buckets.reduce((sum, { succeeded }) => sum + succeeded, 0),
        };
        return totals.succeeded >= receiver.requests.length ? totals : null;
      },
      longMs,
    );

  const untilAllArrived = () =>
    eventually('all deliveries', () => (acknowledged.every((id) => arrived.has(id)) ? true : null), longMs);

  const missingAt = async (client: Client) => {
    const answers: string[] = [];
    for (const id of acknowledged) {
      const { status } = await eventually(`the event ${id}`, async () => {
        const got = await client.get(`/v1/events/${id}`);
        return got.text.includes('"delivered"') || got.status === 404 ? got : null;
      });
      answers.push(...(status === 200 ? [] : [id]));
    }
    return answers;
  };

  /** The tests after each change of the program, for all events that were accepted so far. */
  const losesNothing = () => {
    it('answers every request', () => {
      expect(unexpected).to.deep.equal([]);
    });

    it('shows every event with its delivery', async () => {
      expect(await missingAt(serving)).to.deep.equal([]);
    });

    it('counts every event and every attempt once', async () => {
      expect(await totalsAt(serving)).to.deep.equal({
        events: acknowledged.length,
        succeeded: receiver.requests.length,
      });
    });
  };

  before(async () => {
    // Version 1 of stats precedes the previous version.
    older = await olderProgram([...changedModels, 'stats'], statsVersion1);
    settings = await isolatedSettings({ POSTRIDER_EVENT_RETENTION: '30d' });
    config = loadConfig(settings);
    await migrate(config);
    receiver = await startReceiver(({ headers }, response) => {
      arrived.add(headers['webhook-id']);
      response.end('ok');
    });
    old = await startRoles(roleNames, older.path);
    const terms = ['--name', 'Test', '--email', 'test@example.com', '--plan', 'enterprise', '--rps', '10000'];
    const created = await runProgramAt(older.path, settings, 'account', 'create', ...terms, '--json');
    ({ liveKey } = JSON.parse(created.stdout) as { readonly liveKey: string });
    serving = clientOf(old);
    await serving.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await Promise.all(Array.from({ length: eventsBefore }, post));
    await untilAllArrived();
    await totalsAt(serving);
    await deleteRecords(config, 'events', 'deliveries');
  });

  describe('forward', () => {
    before(async () => {
      const stopLoad = startLoad();
      current = await startRoles(roleNames);
      rebuilt = await runProgram(settings, 'rebuild', ...changedModels);
      await untilReady(current);
      serving = clientOf(current);
      await stopLoad();
      await untilAllArrived();
    });

    it('converts the documents', () => {
      expect([rebuilt.code, rebuilt.stdout, rebuilt.stderr]).to.satisfy(
        ([code, text]: readonly [number, string]) =>
          code === 0 &&
          changedModels.every((model) => text.includes(`converted from version ${earlierVersions[model]}`)),
      );
    });

    losesNothing();
  });

  describe('and back', () => {
    before(async () => {
      await stopRoles(old);
      const stopLoad = startLoad();
      old = await startRoles(roleNames, older.path);
      await untilReady(old);
      serving = clientOf(old);
      await stopLoad();
      await stopRoles(current);
      await post();
      await untilAllArrived();
    });

    losesNothing();

    it('leaves the models in the version to which the program was raised', async () => {
      const versions = await withStores(config, async ({ aliases }) =>
        Promise.all(changedModels.map(async (model) => versionOf((await aliases.find(model))?.live ?? ''))),
      );
      expect(versions).to.deep.equal(changedModels.map((model) => modelDefinitions[model].version));
    });
  });
});
