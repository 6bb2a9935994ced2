import { expect } from 'chai';
import { z } from 'zod';

import { jsonSchemaOf, type TopicSchemas } from './jsonSchemas.js';
import { currentRelease, lastRelease } from './release.js';
import { refusedChanges } from './schemaChanges.js';

const fields = {
  url: z.string(),
  reason: z.enum(['manual', 'gone']),
};

const released = z.object(fields);

function topicWith(values: Readonly<Record<string, z.ZodType>>, key = 'wh'): Record<string, TopicSchemas> {
  const schemas = Object.entries(values).map(([type, schema]) => [type, jsonSchemaOf(schema)] as const);
  return {
    webhooks: {
      key,
      headers: jsonSchemaOf(z.object({ ce_id: z.string() })),
      values: Object.fromEntries(schemas),
    },
  };
}

/** The rejected changes if the one type of the release has become `schema`. */
function refusedFor(schema: z.ZodType): readonly string[] {
  return refusedChanges(topicWith({ created: released }), topicWith({ created: schema }));
}

describe('a change of the topics', () => {
  it('keeps the readers of the last release working', () => {
    const { topics, version } = lastRelease();

    expect(
      refusedChanges(topics, currentRelease().topics),
      `readers of ${version} would break. Declare a new type for the change (docs/adr/0013-versions-of-records.md)`,
    ).to.deep.equal([]);
  });

  it('may add an optional field, a value of an enumeration, a type and a topic', () => {
    const more = released.extend({
      color: z.string().optional(),
      reason: z.enum(['gone', 'failing', 'manual']),
    });
    const before = topicWith({ created: released });

    expect(refusedChanges(before, topicWith({ created: more, deleted: z.object({}) }))).to.deep.equal([]);
    expect(refusedChanges({}, before)).to.deep.equal([]);
  });

  it('is rejected if it breaks a reader of old or new records', () => {
    for (const [schema, refused] of [
      [released.omit({ url: true }), 'created.url is gone'],
      [released.extend({ url: fields.url.optional() }), 'created.url may be missing'],
      [released.extend({ color: z.string() }), 'created.color is required, and older records do not have it'],
      [
        released.extend({ reason: z.enum(['manual']) }),
        'created.reason may no longer be gone, and older records are',
      ],
      [released.extend({ url: z.number() }), 'created.url: type is "number" and was "string"'],
    ] as const) {
      expect(refusedFor(schema)).to.include(refused);
    }
  });

  it('is rejected for a removed type, topic or header, and for another key', () => {
    const before = topicWith({ created: released });
    const webhooks = before['webhooks'] ?? expect.fail();
    for (const after of [
      topicWith({}),
      {},
      topicWith({ created: released }, 'acct'),
      { webhooks: { ...webhooks, headers: jsonSchemaOf(z.object({})) } },
    ]) {
      expect(refusedChanges(before, after)).not.to.deep.equal([]);
    }
  });
});
