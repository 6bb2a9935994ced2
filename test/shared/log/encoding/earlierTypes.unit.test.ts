import { expect } from 'chai';
import { z } from 'zod';

import { earlierType, createFactCodec } from '../../../../shared/log/encoding/factCodec.js';
import { contextOf } from '../../../support/facts.js';
import { rawRecord } from '../../../support/records.js';

/** A type whose earlier version had one address, and whose current version has several. */
interface Moved {
  readonly type: 'postrider.test.moved.v2';
  readonly value: { readonly addresses: readonly string[]; readonly note: string | null };
}

const context = contextOf('wh_1');

const before = createFactCodec<{ type: 'postrider.test.moved'; value: { address: string } }>('webhooks', {
  'postrider.test.moved': z.object({ address: z.string() }),
});

const now = createFactCodec<Moved>(
  'webhooks',
  {
    'postrider.test.moved.v2': z.object({
      addresses: z.array(z.string()),
      // Added later: records from before it are read with the default.
      note: z.string().nullable().default(null),
    }),
  },
  {
    earlier: {
      'postrider.test.moved': earlierType(z.object({ address: z.string() }), ({ address }): Moved => ({
        type: 'postrider.test.moved.v2',
        value: { addresses: [address], note: null },
      })),
    },
  },
);

const old = rawRecord(before.encode({ type: 'postrider.test.moved', value: { address: 'a' } }, context));

describe('a record of an earlier type', () => {
  it('is decoded as the equivalent fact of the current type', () => {
    expect(now.decode(old)).to.deep.equal({
      readable: true,
      content: { type: 'postrider.test.moved.v2', value: { addresses: ['a'], note: null }, context },
    });
  });

  it('is unreadable if its value does not match the schema of the earlier type', () => {
    expect(now.decode({ ...old, value: Buffer.from('{"address":1}') })).to.deep.include({ readable: false });
  });

  it('remains in the schemas of its topic', () => {
    expect([...now.schemas.keys()]).to.deep.equal(['postrider.test.moved.v2', 'postrider.test.moved']);
  });
});

describe('a record of a current type', () => {
  it('is unreadable, not misread, for a process that knows only the earlier type', () => {
    const fact: Moved = { type: 'postrider.test.moved.v2', value: { addresses: ['a', 'b'], note: null } };

    expect(before.decode(rawRecord(now.encode(fact, context)))).to.deep.equal({
      readable: false,
      reason: 'the topic has no record type postrider.test.moved.v2',
    });
  });
});

describe('a record from before a field was added', () => {
  it('is decoded with the default of the field', () => {
    const fact: Moved = { type: 'postrider.test.moved.v2', value: { addresses: ['a'], note: 'n' } };
    const record = rawRecord(now.encode(fact, context));
    const decoded = now.decode({ ...record, value: Buffer.from('{"addresses":["a"]}') });

    expect(decoded.readable && decoded.content.value.note).to.equal(null);
  });
});
