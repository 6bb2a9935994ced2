import { expect } from 'chai';
import fc from 'fast-check';

import {
  foldDocuments,
  recordReference,
  type DecodedRecord,
} from '../../../projections/fold/foldDocuments.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import { rawRecord } from '../../support/records.js';
import { batchesOf, rewoundFetches, type Partitions } from '../foldedLog.js';

/** A document that remembers every record that was folded into it. */
interface Journal extends ModelDocument {
  readonly folded: readonly string[];
}

function recordAt(partition: number, offset: number, key = 'a'): RawRecord {
  return rawRecord({ topic: 'events', key, value: Buffer.from('{}'), headers: {} }, { partition, offset });
}

function journaled(record: RawRecord): DecodedRecord<Journal> {
  const id = record.key?.toString() ?? '';
  const line = `${record.topic}/${record.partition}/${record.offset}`;
  return {
    record: recordReference(record),
    folds: [
      {
        id,
        apply: (document) => ({
          _id: id,
          positions: document?.positions ?? {},
          folded: [...(document?.folded ?? []), line],
        }),
      },
    ],
  };
}

function loaded(...documents: readonly Journal[]): ReadonlyMap<string, Journal> {
  return new Map(documents.map((document) => [document._id, document]));
}

const known: Journal = { _id: 'a', positions: { 'events/1': 5 }, folded: ['events/1/5'] };

describe('foldDocuments', () => {
  it('creates a document that did not exist', () => {
    expect(foldDocuments(loaded(), [journaled(recordAt(1, 6))])).to.deep.equal([
      { before: null, after: { _id: 'a', positions: { 'events/1': 6 }, folded: ['events/1/6'] } },
    ]);
  });

  it('continues from the document that was loaded', () => {
    expect(foldDocuments(loaded(known), [journaled(recordAt(1, 6))])).to.deep.equal([
      {
        before: known,
        after: { _id: 'a', positions: { 'events/1': 6 }, folded: ['events/1/5', 'events/1/6'] },
      },
    ]);
  });

  it('folds several records of a document into one change, in their order', () => {
    const [change, ...others] = foldDocuments(
      loaded(),
      [4, 7, 9].map((offset) => journaled(recordAt(1, offset))),
    );

    expect([change?.after.folded, others]).to.deep.equal([['events/1/4', 'events/1/7', 'events/1/9'], []]);
  });

  it('returns a change for each document', () => {
    const changes = foldDocuments(loaded(known), [journaled(recordAt(1, 6, 'b')), journaled(recordAt(1, 7))]);

    expect(changes.map(({ before, after }) => [before?._id, after._id])).to.deep.equal([
      [undefined, 'b'],
      ['a', 'a'],
    ]);
  });

  for (const offset of [0, 4, 5]) {
    it(`changes nothing for offset ${offset} after offset 5 was folded`, () => {
      expect(foldDocuments(loaded(known), [journaled(recordAt(1, offset))])).to.deep.equal([]);
    });
  }

  it('changes nothing for a record that the batch contains twice', () => {
    const twice = [journaled(recordAt(1, 6)), journaled(recordAt(1, 6))];

    expect(foldDocuments(loaded(), twice).map(({ after }) => after.folded)).to.deep.equal([['events/1/6']]);
  });

  it('tracks the positions of partitions separately', () => {
    expect(foldDocuments(loaded(known), [journaled(recordAt(0, 1))])[0]?.after.positions).to.deep.equal({
      'events/0': 1,
      'events/1': 5,
    });
  });

  it('tracks the positions of topics separately', () => {
    const record = { ...recordAt(1, 1), topic: 'deliveries' } as const;

    expect(foldDocuments(loaded(known), [journaled(record)])[0]?.after.positions).to.deep.equal({
      'deliveries/1': 1,
      'events/1': 5,
    });
  });

  it('advances the position if the fold ignores the record', () => {
    const ignored = { record: recordReference(recordAt(1, 6)), folds: [{ id: 'a', apply: () => known }] };

    expect(foldDocuments(loaded(known), [ignored])).to.deep.equal([
      { before: known, after: { ...known, positions: { 'events/1': 6 } } },
    ]);
  });

  it('creates no document if the fold returns none', () => {
    const ignored = { record: recordReference(recordAt(1, 6)), folds: [{ id: 'b', apply: () => null }] };

    expect(foldDocuments(loaded(), [ignored])).to.deep.equal([]);
  });

  it('does not modify the loaded documents', () => {
    const copy = structuredClone(known);
    foldDocuments(loaded(known), [journaled(recordAt(1, 6))]);

    expect(known).to.deep.equal(copy);
  });

  it('keeps the identity of an unchanged field, so that only changes are written', () => {
    const { folded } = known;
    const untouched = {
      record: recordReference(recordAt(1, 6)),
      folds: [{ id: 'a', apply: (document: Journal | null) => ({ ...(document ?? known) }) }],
    };

    expect(foldDocuments(loaded(known), [untouched])[0]?.after.folded).to.equal(folded);
  });
});

describe('foldDocuments, over several batches', () => {
  /** Up to three partitions of records about up to three documents. */
  const anyPartitions: fc.Arbitrary<Partitions> = fc
    .array(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((partitions) =>
      partitions.map((keys, partition) => keys.map((key, offset) => recordAt(partition, offset, key))),
    );

  it('folds each record once and each partition in its order, also if records are read again after crashes', () => {
    fc.assert(
      fc.property(anyPartitions, rewoundFetches, (partitions, fetched) => {
        const documents = new Map<string, Journal>();
        for (const batch of batchesOf(partitions, fetched)) {
          for (const { after } of foldDocuments(documents, batch.map(journaled))) {
            documents.set(after._id, after);
          }
        }
        const folded = [...documents.values()].map((document) => partitionsOf(document));

        expect(folded).to.have.deep.members([...documents.keys()].map((key) => linesAbout(partitions, key)));
      }),
    );
  });
});

/** The offsets that a document has folded, by partition, in their order. */
function partitionsOf({ folded }: Journal): Record<string, string[]> {
  return grouped(folded);
}

function linesAbout(partitions: Partitions, key: string): Record<string, string[]> {
  const records = partitions.flat().filter((record) => record.key?.toString() === key);
  return grouped(records.map(({ topic, partition, offset }) => `${topic}/${partition}/${offset}`));
}

function grouped(lines: readonly string[]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const line of lines) {
    const name = line.slice(0, line.lastIndexOf('/'));
    groups[name] = [...(groups[name] ?? []), line];
  }
  return groups;
}
