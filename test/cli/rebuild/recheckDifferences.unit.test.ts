import { expect } from 'chai';

import { createComparison } from '../../../cli/rebuild/documentComparison.js';
import { recheckDifferences } from '../../../cli/rebuild/recheckDifferences.js';
import type { ModelDocument } from '../../../shared/store/models/documents.js';
import type { ModelPositions } from '../../../shared/store/models/generations.js';

interface Counted extends ModelDocument {
  readonly count: number;
}

/** A document that has counted the records of one partition below this offset. */
function counted(next: number): Counted {
  return { _id: 'a', count: next, positions: { 'events/0': next - 1 } };
}

const upTo = (offset: number): ModelPositions => ({ events: { '0': offset } });

/**
 * Checks one document again. Each read of the live model returns the next given document and positions; the last ones are repeated.
 * The rebuilt model is folded up to the requested positions.
 */
async function settled(
  reads: readonly { readonly document: Counted | null; readonly positions: number }[],
  fold: (next: number) => Counted | null = counted,
) {
  let round = 0;
  let builtTo = 0;
  const comparison = createComparison(() => false);
  const inRound = () => reads[Math.min(round, reads.length - 1)] ?? { document: null, positions: 0 };
  await recheckDifferences(
    {
      comparison,
      compared: {
        live: 'live',
        rebuilt: 'rebuilt',
        buildTo: ({ events }) => {
          builtTo = events?.['0'] ?? 0;
          return Promise.resolve();
        },
      },
      reader: {
        read: (generation) => {
          const { document, positions } = inRound();
          const shown = generation === 'live' ? document : fold(builtTo);
          round += generation === 'live' ? 0 : 1;
          const documents = new Map(shown === null ? [] : [['a', shown]]);
          return Promise.resolve({ documents, positions: upTo(positions) });
        },
      },
    },
    ['a'],
  );
  const { differing, differences, checksum, rebuiltChecksum } = comparison.totals();
  return { differing, differences, same: checksum === rebuiltChecksum };
}

describe('the recheck of differing documents', () => {
  it('finds no difference in a document that was changed between the reads', async () => {
    expect(await settled([{ document: counted(7), positions: 7 }])).to.deep.equal({
      differing: 0,
      differences: [],
      same: true,
    });
  });

  it('waits for the positions of a document that was written before them', async () => {
    const ahead = Array.from({ length: 10 }, (_, index) => ({
      document: counted(index + 2),
      positions: index + 1,
    }));
    const { differing } = await settled([...ahead, { document: counted(20), positions: 20 }]);
    expect(differing).to.equal(0);
  });

  it('names the fields in which a document differs', async () => {
    const wrong = { ...counted(7), count: 6 };
    expect(await settled([{ document: wrong, positions: 7 }])).to.deep.equal({
      differing: 1,
      differences: [{ id: 'a', difference: 'differs from the log in count' }],
      same: false,
    });
  });

  it('finds a document that is missing in the log', async () => {
    const { differences } = await settled([{ document: counted(7), positions: 7 }], () => null);
    expect(differences).to.deep.equal([{ id: 'a', difference: 'not in the log' }]);
  });

  it('finds a document that is missing in the model', async () => {
    const { differences } = await settled([{ document: null, positions: 7 }]);
    expect(differences).to.deep.equal([{ id: 'a', difference: 'missing from the read model' }]);
  });
});
