import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { expect } from 'chai';

import { createAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import { withStores } from '../../cli/environment/stores.js';
import { loadConfig } from '../../shared/settings/config.js';
import { startStack, type RunningStack } from '../../stack/stack.js';
import { createClient, type ApiAnswer, type Client } from './client.js';
import { eventually } from './eventually.js';
import { residentMebibytes } from './residentMemory.js';
import { startRoleProcess, type RoleProcess } from './roleProcess.js';
import { settingsOn } from './settings.js';

const connections = 400;
/** The data of an event. With 200 KiB each, the events in flight exceed the limit of waiting records, 64 MiB. */
const data = 'x'.repeat(200 * 1024);
/** The time within which a posted event is answered, from the complete request (docs/operations/incidents.md). */
const answeredWithinMs = 8_000;
/** For the upload of 80 MB by all connections, and for this process, which reads hundreds of responses at once. */
const marginMs = 4_000;

/** The tests of a broker that is paused for this time under load. */
export function testBrokerAway(awaySeconds: number): void {
  describe(`a broker that is paused for ${awaySeconds} s under load`, function () {
    this.timeout((awaySeconds + 120) * 1000);

    let directory: string;
    let stack: RunningStack;
    let roles: RoleProcess[];
    let client: Client;
    let refused: ApiAnswer[];
    let acknowledgedMeanwhile: number;
    let slowestMs: number;
    let mebibytesBefore: number;
    let mebibytesMeanwhile: number;

    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'postrider-away-'));
      stack = await startStack({ directory, ephemeral: true });
      const settings = settingsOn(stack.addresses);
      const config = loadConfig(settings);
      await migrate(config);
      roles = [await startRoleProcess('projections', settings), await startRoleProcess('api', settings)];
      const account = await withStores(config, ({ commands }) =>
        createAccount(
          commands,
          { name: 'Away', email: 'away@example.com', plan: 'enterprise', requestsPerSecond: 100_000 },
          new Date(),
        ),
      );
      client = createClient(roles[1]?.address ?? '', account.liveKey);
      await warmUp();
      mebibytesBefore = await residentMebibytes(roles[1]?.pid ?? 0);
      stack.kafka.pause();
      await postWhileAway();
      stack.kafka.resume();
    });

    after(async () => {
      await Promise.all(roles.map((role) => role.kill()));
      await stack.stop();
      await rm(directory, { recursive: true, force: true });
    });

    const warmUp = () =>
      Promise.all(
        Array.from({ length: connections }, () => client.post('/v1/events', { type: 'a.b', data: { data } })),
      );

    const postWhileAway = async () => {
      const until = Date.now() + awaySeconds * 1000;
      refused = [];
      acknowledgedMeanwhile = 0;
      slowestMs = 0;
      mebibytesMeanwhile = 0;
      const measure = async () => {
        while (Date.now() < until) {
          mebibytesMeanwhile = Math.max(mebibytesMeanwhile, await residentMebibytes(roles[1]?.pid ?? 0));
          await pause(200);
        }
      };
      const post = async () => {
        while (Date.now() < until) {
          const startedAt = Date.now();
          const answer = await client.post('/v1/events', { type: 'a.b', data: { data } });
          slowestMs = Math.max(slowestMs, Date.now() - startedAt);
          if (answer.status === 201) {
            acknowledgedMeanwhile += 1;
          } else {
            refused.push(answer);
            await pause(Number(answer.headers.get('retry-after')) * 1000);
          }
        }
      };
      await Promise.all([measure(), ...Array.from({ length: connections }, post)]);
    };

    it('causes 503 and Retry-After for events', () => {
      const kinds = new Set(
        refused.map(({ status, headers }) => `${status} ${headers.get('retry-after') ?? 'without'}`),
      );
      expect([...kinds]).to.deep.equal(['503 1']);
    });

    it('causes no acknowledgement of an event that the log does not contain', () => {
      expect(acknowledgedMeanwhile).to.equal(0);
    });

    it('does not delay a response beyond the deadline of a posted event', () => {
      expect(slowestMs).to.be.lessThan(answeredWithinMs + marginMs);
    });

    it('uses no more memory than the limit for waiting records, however long it lasts', () => {
      expect(mebibytesMeanwhile - mebibytesBefore).to.be.lessThan(250);
    });

    it('is followed by an automatic recovery', async () => {
      const answer = await eventually('an acknowledged event', async () => {
        const posted = await client.post('/v1/events', { type: 'a.b', data: {} });
        return posted.status === 201 ? posted : null;
      });
      expect(answer.status).to.equal(201);
    });
  });
}
