import { expect } from 'chai';

import { startApi } from '../../api/main.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName, StartRole } from '../../cli/roles/runRole.js';
import { startDelivery } from '../../consumers/main.js';
import { startProjections } from '../../projections/main.js';
import { loadConfig } from '../../shared/settings/config.js';
import { createLogger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { olderProgram, webhooksWithoutFormat, type OlderProgram } from '../support/olderProgram.js';
import { closeAtEndOfFile } from '../support/fileResources.js';
import { runProgram, runProgramAt, type ProgramOutcome } from '../support/program.js';
import { startReceiver, type Receiver } from '../support/receiver.js';
import { startRoleProcess, type RoleProcess } from '../support/roleProcess.js';
import { isolatedSettings, type Settings } from '../support/settings.js';

const changedModels = ['accounts', 'webhooks', 'audit', 'events'] as const;
const roleNames = ['projections', 'delivery', 'api'] as const;

const starts: Readonly<Record<RoleName, StartRole>> = {
  projections: startProjections,
  delivery: startDelivery,
  api: startApi,
};

/** More events than partitions, so that each partition gets some. */
const eventsAtOnce = 12;
const longMs = 30_000;

interface Readiness {
  readonly status: number;
  readonly checks: Readonly<Record<string, string>>;
}

async function readinessOf(address: string): Promise<Readiness> {
  const response = await fetch(`${address}/readyz`);
  const { checks } = (await response.json()) as { readonly checks: Readonly<Record<string, string>> };
  return { status: response.status, checks };
}

const isReady = (address: string) =>
  eventually('readiness', async () => ((await readinessOf(address)).status === 200 ? true : null), longMs);

/** One upgrade in the order of docs/operations/upgrade.md, with roles of the previous and the current version next to each other. */
describe('an upgrade that changes read models, and back', () => {
  const old = new Map<RoleName, RoleProcess>();
  const current = new Map<RoleName, RunningRole>();
  let older: OlderProgram;
  let settings: Settings;
  let receiver: Receiver;
  let liveKey: string;
  let acknowledged: readonly string[] = [];

  const startOld = async (name: RoleName) => {
    const role = await startRoleProcess(name, settings, older.path);
    old.set(name, role);
    closeAtEndOfFile(async () => {
      await role.stop();
    });
  };

  const startCurrent = async (name: RoleName) => {
    const config = loadConfig(settings);
    const logger = createLogger({ role: 'test', level: config.log.level, isTerminal: false });
    const role = await starts[name](config, logger, () => new Date());
    current.set(name, role);
    closeAtEndOfFile(role.stop);
  };

  const oldClient = (key = liveKey) => createClient(old.get('api')?.address ?? '', key);
  const currentClient = () => createClient(current.get('api')?.address ?? '', liveKey);
  const currentAddress = (name: RoleName) => current.get(name)?.address ?? '';

  const postEvents = async (client: Client) => {
    const answers = await Promise.all(
      Array.from({ length: eventsAtOnce }, () => client.post('/v1/events', { type: 'a.b', data: {} })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 201));
    acknowledged = [...acknowledged, ...answers.map(({ body }) => String(body['id']))];
  };

  const undelivered = () => {
    const arrived = new Set(receiver.requests.map(({ headers }) => headers['webhook-id']));
    return acknowledged.filter((id) => !arrived.has(id));
  };

  const untilAllArrived = () =>
    eventually('all deliveries', () => (undelivered().length === 0 ? true : null), longMs);

  /** The events that the API does not show as delivered. */
  const untilAllShown = (client: Client) =>
    eventually(
      'every event with its delivery',
      async () => {
        const answers = await Promise.all(acknowledged.map((id) => client.get(`/v1/events/${id}`)));
        return answers.every(({ text }) => text.includes('"delivered"')) ? true : null;
      },
      longMs,
    );

  before(async () => {
    older = await olderProgram(changedModels, webhooksWithoutFormat);
    settings = await isolatedSettings();
    await migrate(loadConfig(settings));
    receiver = await startReceiver();
    await Promise.all(roleNames.map(startOld));
    const terms = ['--name', 'Test', '--email', 'test@example.com', '--plan', 'enterprise', '--rps', '10000'];
    const created = await runProgramAt(older.path, settings, 'account', 'create', ...terms, '--json');
    ({ liveKey } = JSON.parse(created.stdout) as { readonly liveKey: string });
    await oldClient().post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await postEvents(oldClient());
    await untilAllArrived();
  });

  describe('with the new roles next to the old ones', () => {
    before(async () => {
      await Promise.all(roleNames.map(startCurrent));
    });

    for (const name of roleNames) {
      it(`keeps the new ${name} from being ready, because models have another version`, async () => {
        const { status, checks } = await readinessOf(currentAddress(name));
        const named = Object.keys(checks).filter((check) => checks[check]?.includes('has another version'));
        expect(status).to.equal(503);
        expect(named).to.have.members(changedModels.map((model) => `model ${model}`));
      });
    }

    it('makes the new API reject no request permanently', async () => {
      expect((await currentClient().get('/v1/webhooks')).status).to.equal(503);
    });

    it('lets the old roles deliver every event, because the new delivery takes no partition', async () => {
      await postEvents(oldClient());
      await untilAllArrived();
      expect(undelivered()).to.deep.equal([]);
    });
  });

  describe('after the rebuild by the new program', () => {
    let outcome: ProgramOutcome;
    before(async () => {
      outcome = await runProgram(settings, 'rebuild', ...changedModels);
    });

    it('is reported by the program', () => {
      expect([outcome.code, outcome.stdout.match(/rebuilt in version/g)?.length]).to.deep.equal([
        0,
        changedModels.length,
      ]);
    });

    for (const name of roleNames) {
      it(`makes the new ${name} ready`, async () => {
        expect(await isReady(currentAddress(name))).to.equal(true);
      });
    }

    it('shows through the new API the events that the old one has accepted', async () => {
      expect(await untilAllShown(currentClient())).to.equal(true);
    });

    it('shows through the old API the events that the new one has accepted', async () => {
      await postEvents(currentClient());
      expect(await untilAllShown(oldClient())).to.equal(true);
    });

    it('keeps a field of webhooks that the old projections do not know', async () => {
      const terms = { url: receiver.url, events: ['none'], format: 'thin' };
      const created = await Promise.all(
        Array.from({ length: eventsAtOnce }, () => currentClient().post('/v1/webhooks', terms)),
      );
      expect(created.map(({ status }) => status)).to.deep.equal(created.map(() => 201));
      const shown = await eventually('every webhook and its audit entry', async () => {
        const [webhooks, audit] = await Promise.all([
          currentClient().get('/v1/webhooks?limit=100'),
          currentClient().get('/v1/audit-log?limit=100&action=webhook.created'),
        ]);
        const [listed, entries] = [webhooks, audit].map(({ body }) => body['data'] as readonly unknown[]);
        return listed?.length === eventsAtOnce + 1 && entries?.length === eventsAtOnce + 1
          ? [webhooks.text, audit.text]
          : null;
      });
      expect(shown.map((text) => text.split('"thin"').length - 1)).to.deep.equal([
        eventsAtOnce,
        eventsAtOnce,
      ]);
    });
  });

  describe('after the stop of the old roles', () => {
    before(async () => {
      await Promise.all([...old.values()].map(({ stop }) => stop()));
      await postEvents(currentClient());
    });

    it('has lost no event', async () => {
      await untilAllShown(currentClient());
      expect(undelivered()).to.deep.equal([]);
    });
  });

  describe('after the rollback', () => {
    let lateKey: string;
    before(async () => {
      const { body } = await currentClient().post('/v1/api-keys', { name: 'Late', mode: 'live' });
      lateKey = String(body['secret']);
      await startOld('api');
    });

    it('keeps the old API from being ready until it knows the current keys', async () => {
      const { status, checks } = await readinessOf(old.get('api')?.address ?? '');
      expect([status, checks['accounts of now']]).to.deep.equal([503, 'behind what the log held before']);
    });

    it('makes it ready when the old projections follow the log again', async () => {
      await startOld('projections');
      expect(await isReady(old.get('api')?.address ?? '')).to.equal(true);
    });

    it('shows every account, user and event', async () => {
      await untilAllShown(oldClient(lateKey));
      expect((await oldClient(lateKey).get('/v1/webhooks')).status).to.equal(200);
    });
  });
});
