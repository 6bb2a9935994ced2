import { expect } from 'chai';

import type { DeadLetters } from '../../../../shared/log/deadLetters/deadLetters.js';
import { eventually } from '../../../support/eventually.js';
import { closeAtEndOfFile } from '../../../support/fileResources.js';
import { openTestLog, plainRecord } from '../../../support/log.js';
import { isolatedSettings } from '../../../support/settings.js';
import { committedOffsets, endOffsets, startMember } from '../group/member.js';
import { startReadingRole } from '../group/roleProcess.js';

const rejected = 'a promise that is rejected';
const unavailableLetter = 'a TypeError, while dead letters cannot be appended';

/** Errors that a handler throws twice before it succeeds: temporary faults of a server. */
const temporary: Readonly<Record<string, unknown>> = {
  'an Error': new Error('the server is unavailable'),
  'a string': 'the server is unavailable',
  null: null,
};

/** Errors that a handler always throws: faults of this program. */
const permanent: Readonly<Record<string, unknown>> = {
  'a TypeError': new TypeError('undefined is not a function'),
  'a RangeError': new RangeError('invalid array length'),
  'a ReferenceError': new ReferenceError('it is not defined'),
  'a SyntaxError': new SyntaxError('unexpected end of JSON input'),
  [unavailableLetter]: new TypeError('undefined is not a function'),
};

const triesUntilSuccess = 3;
const triesOfOwnFaults = 3;
/** The deadline for the join of the group and all tries on a busy machine, in milliseconds. */
const endedMs = 60_000;

describe('a handler that throws', function () {
  this.timeout(endedMs + 60_000);
  const tries = new Map<string, number>();
  const letters: { readonly key: string; readonly reason: string }[] = [];
  let failedAppends = 0;

  before(async () => {
    const log = await openTestLog({ POSTRIDER_PARTITIONS: '1' }, ['events']);
    const member = await startMember(log, { handle: ({ key }) => work(String(key)), deadLetters });
    closeAtEndOfFile(() => member.stop(1000));
    const keys = [...Object.keys(temporary), ...Object.keys(permanent), rejected, 'after them'];
    await Promise.all(keys.map((key) => log.producer.append(plainRecord('events', key))));
    await eventually(
      'the end of all',
      async () => ((await committedOffsets(log)).join() === (await endOffsets(log)).join() ? true : null),
      endedMs,
    );
  });

  /** Throws or rejects as the key of the record says. */
  const work = (key: string): Promise<'done'> => {
    const count = (tries.get(key) ?? 0) + 1;
    tries.set(key, count);
    if (key in permanent) {
      throwAnything(permanent[key]);
    }
    if (key in temporary && count < triesUntilSuccess) {
      throwAnything(temporary[key]);
    }
    return key === rejected && count < triesUntilSuccess
      ? Promise.reject(new Error('the server is unavailable'))
      : Promise.resolve('done');
  };

  const deadLetters: DeadLetters = {
    append: ({ key }, reason) => {
      if (String(key) === unavailableLetter && failedAppends < 2) {
        failedAppends += 1;
        return Promise.reject(new Error('the log is unavailable'));
      }
      letters.push({ key: String(key), reason });
      return Promise.resolve();
    },
  };

  const lettersOf = (key: string) =>
    letters.filter((letter) => letter.key === key).map(({ reason }) => reason);

  for (const fault of [...Object.keys(temporary), rejected]) {
    it(`is called again until it succeeds, if it throws ${fault}`, () => {
      expect([tries.get(fault), lettersOf(fault)]).to.deep.equal([triesUntilSuccess, []]);
    });
  }

  for (const [fault, thrown] of Object.entries(permanent).filter(([key]) => key !== unavailableLetter)) {
    it(`is called three times before its record becomes a dead letter, if it throws ${fault}`, () => {
      const reason = `handler_failed: ${(thrown as Error).message}`;
      expect([tries.get(fault), lettersOf(fault)]).to.deep.equal([triesOfOwnFaults, [reason]]);
    });
  }

  it('is called again while its dead letter cannot be appended', () => {
    expect([tries.get(unavailableLetter), lettersOf(unavailableLetter).length]).to.deep.equal([
      triesOfOwnFaults + 2,
      1,
    ]);
  });

  it('delays no other record', () => {
    expect(tries.get('after them')).to.equal(1);
  });

  it('ends the process with exit code 1 if no code awaits a promise that fails', async () => {
    const settings = await isolatedSettings();
    const own = await openTestLog(settings, ['events']);
    const { exitCode, kill } = await startReadingRole(settings);
    closeAtEndOfFile(kill);
    await own.producer.append(plainRecord('events', 'awaited'));
    await own.producer.append(plainRecord('events', 'unawaited'));
    expect(await exitCode).to.equal(1);
  });
});

/** Throws any value, even if it is no error. */
function throwAnything(thrown: unknown): void {
  AbortSignal.abort(thrown).throwIfAborted();
}
