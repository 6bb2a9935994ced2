import { expect } from 'chai';

import type { DecodedRecord } from '../../../projections/fold/foldDocuments.js';
import { createFoldSessions } from '../../../projections/runtime/foldSessions.js';
import { createSharedTurns } from '../../../shared/concurrency/sharedTurns.js';
import type { TopicPartition, TopicPartitionOffset } from '../../../shared/log/client/topicPartition.js';
import type { ModelGeneration } from '../../../shared/store/generations/modelGeneration.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { eventually } from '../../support/eventually.js';

const partition = { topic: 'events', partition: 0 } as const;

/** Sessions whose generation answers with these positions of the partition, one after another. */
function sessionsAt(...answers: readonly (() => Promise<number>)[]) {
  const seeks: TopicPartitionOffset[] = [];
  const commits: (readonly TopicPartitionOffset[])[] = [];
  const warnings: unknown[] = [];
  let reads = 0;
  const generation: ModelGeneration<ModelDocument> = {
    name: 'events.v1.1',
    positions: async () => {
      const answer = answers[Math.min(reads, answers.length - 1)];
      reads += 1;
      return { events: { '0': (await answer?.()) ?? 0 } };
    },
    advance: () => Promise.resolve('advanced'),
    skip: () => Promise.resolve('advanced'),
    load: () => Promise.resolve(new Map()),
    loadFences: () => Promise.resolve(new Map()),
    writeFences: () => Promise.resolve('written'),
    write: () => Promise.resolve('written'),
  };
  const sessions = createFoldSessions({
    model: 'events',
    generation,
    consumer: {
      seek: (position) => {
        seeks.push(position);
      },
      commit: (positions) => {
        commits.push(positions);
        return Promise.resolve(true);
      },
    },
    offsets: { beginnings: () => Promise.resolve([0]) },
    recentIds: null,
    poison: { add: () => undefined, dropBelow: () => undefined },
    turns: createSharedTurns(),
    onOpened: () => undefined,
    logger: { warn: (details: unknown) => warnings.push(details) },
  });
  const foldTo = (nextOffset: number, records: readonly DecodedRecord<ModelDocument>[] = []) =>
    sessions.current().fold({ partition, records, nextOffset, filteredAt: Date.now() });
  return { ...sessions, seeks, commits, warnings, foldTo, reads: () => reads };
}

function at(offset: number): () => Promise<number> {
  return () => Promise.resolve(offset);
}

function away(): Promise<number> {
  return Promise.reject(new Error('the database is away'));
}

/** A record whose fold takes two milliseconds. */
function slowRecord(offset: number): DecodedRecord<ModelDocument> {
  const _id = String(offset);
  const apply = () => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    return { _id, positions: {} };
  };
  return { record: { ...partition, offset, timestamp: 0, id: _id }, folds: [{ id: _id, apply }] };
}

describe('createFoldSessions', () => {
  it('lets other work of the process run while it folds many records', async () => {
    const { assign, settled, foldTo } = sessionsAt(at(0));
    assign([partition]);
    await settled();
    let turns = 0;
    const countTurns = () => {
      turns += 1;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    await foldTo(
      40,
      Array.from({ length: 40 }, (_, offset) => slowRecord(offset)),
    );
    clearImmediate(counting);

    expect(turns).to.be.greaterThan(10);
  });

  it('begins where the model is after partitions were lost and regained during an opening', async () => {
    const letGo = new AbortController();
    const held = () =>
      new Promise<number>((resolve) => {
        letGo.signal.addEventListener('abort', () => {
          resolve(5);
        });
      });
    const { assign, seeks, settled } = sessionsAt(held, at(9));
    const assignments: readonly (readonly TopicPartition[])[] = [[partition], [], [partition]];
    assignments.forEach(assign);
    letGo.abort();
    await settled();

    expect(seeks).to.deep.equal([{ ...partition, offset: 9 }]);
  });

  it('stays closed if the positions cannot be read, and opens a session with the next call', async () => {
    const { assign, reopen, settled, current, seeks, warnings } = sessionsAt(away, at(9));
    assign([partition]);
    await settled();
    const before = [current().isOpen(), warnings.length];
    await reopen();

    expect([before, current().isOpen(), seeks.length]).to.deep.equal([[false, 1], true, 1]);
  });

  it('logs a failure once while it repeats', async () => {
    const denied = () => Promise.reject(new Error('not permitted'));
    const { reopen, warnings } = sessionsAt(away, away, denied, away);
    for (let call = 0; call < 4; call += 1) {
      await reopen();
    }

    expect(warnings).to.deep.equal(
      ['the database is away', 'not permitted', 'the database is away'].map((error) => ({
        model: 'events',
        error,
      })),
    );
  });

  it('reads the positions once for concurrent calls', async () => {
    const { assign, reopen, reads } = sessionsAt(at(0));
    assign([partition]);
    await Promise.all([reopen(), reopen()]);

    expect(reads()).to.equal(1);
  });

  it('opens another session if one is closed at the moment at which it was opened', async () => {
    const { assign, reopen, current, reads } = sessionsAt(at(0));
    assign([partition]);
    while (!current().isOpen()) {
      await Promise.resolve();
    }
    await reopen();

    expect([current().isOpen(), reads()]).to.deep.equal([true, 2]);
  });

  it('reports the positions of a closed session, and commits only those of an open one', async () => {
    const { assign, settled, foldTo, commit, commits, current, watermarks } = sessionsAt(at(3), away);
    assign([partition]);
    await settled();
    await foldTo(7);
    await commit();
    await foldTo(8);
    current().close();
    await commit();

    expect([commits, watermarks()]).to.deep.equal([
      [[{ ...partition, offset: 7 }]],
      [{ partition, offset: 8 }],
    ]);
  });

  it('drops what was pending at an assignment, and begins with it again', async () => {
    const { assign, settled, foldTo, seeks, current } = sessionsAt(at(3));
    assign([partition]);
    await settled();
    const first = current();
    const folding = foldTo(7);
    assign([partition]);
    await folding;
    await eventually('another session', () => (current() === first ? null : true));

    expect([first.foldedOffsets.get('events/0'), seeks.map(({ offset }) => offset)]).to.deep.equal([
      3,
      [3, 3],
    ]);
  });
});
