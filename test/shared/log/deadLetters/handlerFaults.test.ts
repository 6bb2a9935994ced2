import { expect } from 'chai';

import type { DeadLetters } from '../../../../shared/log/deadLetters/deadLetters.js';
import { eventually } from '../../../support/eventually.js';
import { createOpened } from '../../../support/opened.js';
import { openTestLog, plainRecord } from '../../../support/log.js';
import { isolatedSettings } from '../../../support/settings.js';
import { committedOffsets, endOffsets, startMember } from '../group/member.js';
import { startReadingRole } from '../group/roleProcess.js';

const rejected = 'a promise that it rejects';
const refusedLetter = 'a TypeError, while the dead letters are away';

/** What a handler throws twice before it succeeds: a fault of a server that passes. */
const passing: Readonly<Record<string, unknown>> = {
  'an Error': new Error('the server is away'),
  'a string': 'the server is away',
  null: null,
};

/** What it throws always: a fault of our program. */
const lasting: Readonly<Record<string, unknown>> = {
  'a TypeError': new TypeError('undefined is not a function'),
  'a RangeError': new RangeError('invalid array length'),
  'a ReferenceError': new ReferenceError('it is not defined'),
  'a SyntaxError': new SyntaxError('unexpected end of JSON input'),
  [refusedLetter]: new TypeError('undefined is not a function'),
};

const triesUntilItPasses = 3;
const triesOfOurFaults = 3;

describe('what a handler throws', () => {
  const opened = createOpened();
  const tries = new Map<string, number>();
  const letters: { readonly key: string; readonly reason: string }[] = [];
  let refusals = 0;

  before(async () => {
    const log = await openTestLog({ POSTRIDER_PARTITIONS: '1' });
    opened.add('log', log.close);
    const member = await startMember(log, { handle: ({ key }) => work(String(key)), deadLetters });
    opened.add('member', () => member.stop(1000));
    const keys = [...Object.keys(passing), ...Object.keys(lasting), rejected, 'after them'];
    await Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
    await eventually('the end of all', async () =>
      (await committedOffsets(log)).join() === (await endOffsets(log)).join() ? true : null,
    );
  });

  after(() => opened.releaseAll());

  /** Throws at once, or rejects, as the record's key says. */
  const work = (key: string): Promise<'done'> => {
    const count = (tries.get(key) ?? 0) + 1;
    tries.set(key, count);
    if (key in lasting) {
      throwAnything(lasting[key]);
    }
    if (key in passing && count < triesUntilItPasses) {
      throwAnything(passing[key]);
    }
    return key === rejected && count < triesUntilItPasses
      ? Promise.reject(new Error('the server is away'))
      : Promise.resolve('done');
  };

  const deadLetters: DeadLetters = {
    append: ({ key }, reason) => {
      if (String(key) === refusedLetter && refusals < 2) {
        refusals += 1;
        return Promise.reject(new Error('the log is away'));
      }
      letters.push({ key: String(key), reason });
      return Promise.resolve();
    },
  };

  const lettersOf = (key: string) =>
    letters.filter((letter) => letter.key === key).map(({ reason }) => reason);

  for (const fault of [...Object.keys(passing), rejected]) {
    it(`tries again until it passes: ${fault}`, () => {
      expect([tries.get(fault), lettersOf(fault)]).to.deep.equal([triesUntilItPasses, []]);
    });
  }

  for (const [fault, thrown] of Object.entries(lasting).filter(([key]) => key !== refusedLetter)) {
    it(`sets the record aside after three tries: ${fault}`, () => {
      const reason = `handler_failed: ${(thrown as Error).message}`;
      expect([tries.get(fault), lettersOf(fault)]).to.deep.equal([triesOfOurFaults, [reason]]);
    });
  }

  it('tries a record again that the dead letters do not take, and does not end', () => {
    expect([tries.get(refusedLetter), lettersOf(refusedLetter).length]).to.deep.equal([
      triesOfOurFaults + 2,
      1,
    ]);
  });

  it('goes on with other records', () => {
    expect(tries.get('after them')).to.equal(1);
  });

  it('ends the process with exit code 1 where nobody awaits the promise that fails', async () => {
    const settings = await isolatedSettings();
    const own = await openTestLog(settings);
    opened.add('log', own.close);
    const { exitCode, kill } = await startReadingRole(settings);
    opened.add('role', kill);
    await own.producer.append(plainRecord('events', 'awaited'));
    await own.producer.append(plainRecord('events', 'unawaited'));
    expect(await exitCode).to.equal(1);
  });
});

/** Throws what is no error too. */
function throwAnything(thrown: unknown): void {
  AbortSignal.abort(thrown).throwIfAborted();
}
