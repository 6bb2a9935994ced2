import { expect } from 'chai';

import type { Member } from '../../../../api/authentication/credentials.js';
import type { KnownDevice } from '../../../../api/authentication/deviceCookie.js';
import { createSignIn, type SignInOutcome } from '../../../../api/resources/sessions/signIn.js';
import type { SignInAdmission } from '../../../../shared/store/redis/signInThrottle.js';
import { accountOf } from '../../support/members.js';

type Limit = 'general' | 'device';

interface Situation {
  /** The device cookie of the request. */
  readonly device?: KnownDevice;
  /** The limits that are reached. */
  readonly reached?: readonly Limit[];
  /** The numbers of the users whose password was given. */
  readonly matching?: readonly number[];
  readonly check?: () => never;
}

const device: KnownDevice = { id: 'device', userId: 'usr_1' };

/** Two members with one address sign in. */
async function signIn({ device: known, reached = [], matching = [], check }: Situation) {
  const counts = { general: 0, device: 0 };
  const admit = (limit: Limit): Promise<SignInAdmission> => {
    if (reached.includes(limit)) {
      return Promise.resolve({ admitted: false, waitSeconds: 900 });
    }
    counts[limit] += 1;
    const forgive = () => {
      counts[limit] -= 1;
      return Promise.resolve();
    };
    return Promise.resolve({ admitted: true, forgive });
  };
  const members = [1, 2].map((number): Member => {
    const account = accountOf(number);
    const [user] = account.users;
    return { account, user: user ?? expect.fail('no user') };
  });
  let checks = 0;
  const run = createSignIn({
    throttle: { admit: () => admit('general'), admitDevice: () => admit('device') },
    deviceCookie: { read: () => known ?? null },
    checkCredentials: () => {
      checks += 1;
      check?.();
      return Promise.resolve({
        members,
        matching: members.filter((_, index) => matching.includes(index + 1)),
      });
    },
  });
  const credentials = { email: 'ada@example.com', password: 'given' };
  const outcome = await run({ credentials, network: '192.0.2.1', cookies: undefined }).catch(() => null);
  return { outcome: nameOf(outcome), checks, counts };
}

function nameOf(outcome: SignInOutcome | null): string {
  if (outcome?.kind === 'member') {
    return outcome.member.user.id;
  }
  return outcome?.kind ?? 'error';
}

describe('the limits of sign-in failures', () => {
  const situations: readonly (readonly [title: string, situation: Situation, expected: object])[] = [
    [
      'count nothing if the password is right',
      { matching: [2] },
      { outcome: 'usr_2', checks: 1, counts: { general: 0, device: 0 } },
    ],
    ['count a wrong password', {}, { outcome: 'failed', checks: 1, counts: { general: 1, device: 0 } }],
    [
      'prevent the check of a password beyond the limits',
      { reached: ['general'], matching: [1] },
      { outcome: 'limited', checks: 0, counts: { general: 0, device: 0 } },
    ],
    [
      'do not affect the user of a known device',
      { device, reached: ['general'], matching: [1, 2] },
      { outcome: 'usr_1', checks: 1, counts: { general: 0, device: 0 } },
    ],
    [
      'reject another user of the address on a known device beyond the limits',
      { device, reached: ['general'], matching: [2] },
      { outcome: 'failed', checks: 1, counts: { general: 0, device: 1 } },
    ],
    [
      'accept another user of the address on a known device within the limits',
      { device, matching: [2] },
      { outcome: 'usr_2', checks: 1, counts: { general: 0, device: 1 } },
    ],
    [
      'count a wrong password on a known device against all limits',
      { device },
      { outcome: 'failed', checks: 1, counts: { general: 1, device: 1 } },
    ],
    [
      'treat a device that has reached its own limit as unknown',
      { device, reached: ['device'], matching: [1] },
      { outcome: 'usr_1', checks: 1, counts: { general: 0, device: 0 } },
    ],
    [
      'reject a device that has reached its own limit and the general limit',
      { device, reached: ['device', 'general'], matching: [1] },
      { outcome: 'limited', checks: 0, counts: { general: 0, device: 0 } },
    ],
  ];
  for (const [title, situation, expected] of situations) {
    it(title, async () => {
      expect(await signIn(situation)).to.deep.equal(expected);
    });
  }

  for (const known of [undefined, device]) {
    it(`do not count an attempt that could not be checked, from ${known === undefined ? 'an unknown' : 'a known'} device`, async () => {
      const check = () => {
        throw new Error('MongoDB does not respond');
      };
      const situation = known === undefined ? { check } : { check, device: known };
      expect(await signIn(situation)).to.deep.equal({
        outcome: 'error',
        checks: 1,
        counts: { general: 0, device: 0 },
      });
    });
  }
});
