import { expect } from 'chai';
import { z } from 'zod';

import { timeSchema } from '../../../shared/log/encoding/schemas.js';
import { jsonSchemaOf, type TopicSchemas } from './jsonSchemas.js';
import { currentRelease, lastRelease } from './release.js';
import { refusedChanges } from './schemaChanges.js';

const fields = {
  url: z.string(),
  reason: z.enum(['manual', 'gone']),
  at: timeSchema.nullable(),
  count: z.int().positive(),
  labels: z.array(z.string()),
  answered: z.record(z.string(), z.string()),
  actor: z.object({ id: z.string(), name: z.string().optional() }),
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

const additions: Record<string, z.ZodType> = {
  nothing: released,
  'an optional field': released.extend({ color: z.string().optional() }),
  'an optional field with a default for older records': released.extend({
    color: z.string().default('red'),
  }),
  'a nested optional field': released.extend({
    actor: fields.actor.extend({ role: z.string().optional() }),
  }),
  'a value of an enumeration': released.extend({ reason: z.enum(['gone', 'failing', 'manual']) }),
  'another description': released.describe('Something else'),
};

describe('a change of the topics', () => {
  it('keeps the readers of the last release working', () => {
    const { topics, version } = lastRelease();

    expect(
      refusedChanges(topics, currentRelease().topics),
      `readers of ${version} would break. Declare a new type for the change (docs/adr/0013-versions-of-records.md)`,
    ).to.deep.equal([]);
  });

  it('is checked for every topic of the release', () => {
    expect(Object.keys(lastRelease().topics)).to.include.members([
      'events',
      'webhooks',
      'deliveries',
      'accounts',
    ]);
  });

  for (const [what, schema] of Object.entries(additions)) {
    it(`may add ${what}`, () => {
      expect(refusedFor(schema)).to.deep.equal([]);
    });
  }

  it('may add a type', () => {
    const both = topicWith({ created: released, deleted: z.object({}) });

    expect(refusedChanges(topicWith({ created: released }), both)).to.deep.equal([]);
  });

  it('may add a topic', () => {
    expect(refusedChanges({}, topicWith({ created: released }))).to.deep.equal([]);
  });

  const breaks: Record<string, { schema: z.ZodType; refused: string | RegExp }> = {
    'a removed field': { schema: released.omit({ url: true }), refused: 'created.url is gone' },
    'a renamed field': {
      schema: released.omit({ url: true }).extend({ address: z.string().optional() }),
      refused: 'created.url is gone',
    },
    'a removed optional field': {
      schema: released.extend({ actor: fields.actor.omit({ name: true }) }),
      refused: 'created.actor.name is gone',
    },
    'a field that has become optional': {
      schema: released.extend({ url: fields.url.optional() }),
      refused: 'created.url may be missing',
    },
    'a field that has become required': {
      schema: released.extend({ actor: z.object({ id: z.string(), name: z.string() }) }),
      refused: 'created.actor.name is required, and older records do not have it',
    },
    'a new required field': {
      schema: released.extend({ color: z.string() }),
      refused: 'created.color is required, and older records do not have it',
    },
    'a removed value of an enumeration': {
      schema: released.extend({ reason: z.enum(['manual']) }),
      refused: 'created.reason may no longer be gone, and older records are',
    },
    'an enumeration instead of any text': {
      schema: released.extend({ url: z.enum(['https://example.com/']) }),
      refused: /^created\.url: enum is /,
    },
    'a field of another type': {
      schema: released.extend({ url: z.number() }),
      refused: 'created.url: type is "number" and was "string"',
    },
    'elements of another type': {
      schema: released.extend({ labels: z.array(z.number()) }),
      refused: 'created.labels.items: type is "number" and was "string"',
    },
    'a map of another type': {
      schema: released.extend({ answered: z.record(z.string(), z.number()) }),
      refused: 'created.answered.additionalProperties: type is "number" and was "string"',
    },
    'a field that can no longer be null': {
      schema: released.extend({ at: timeSchema }),
      refused: /^created\.at/,
    },
    'a field that can be null': {
      schema: released.extend({ url: fields.url.nullable() }),
      refused: /^created\.url/,
    },
    'any text instead of a time': {
      schema: released.extend({ at: z.string().nullable() }),
      refused: /^created\.at/,
    },
    'another bound': {
      schema: released.extend({ count: z.int().nonnegative() }),
      refused: /^created\.count: /,
    },
    'unknown fields that are no longer ignored': {
      schema: z.strictObject(fields),
      refused: 'created: additionalProperties is false and was undefined',
    },
  };
  for (const [what, { schema, refused }] of Object.entries(breaks)) {
    it(`is rejected for ${what}`, () => {
      const [first = 'nothing'] = refusedFor(schema);
      expect(first).to.match(typeof refused === 'string' ? new RegExp(`^${escaped(refused)}$`) : refused);
    });
  }

  it('is rejected for a removed type', () => {
    expect(refusedChanges(topicWith({ created: released }), topicWith({}))).to.deep.equal([
      'webhooks: the type created is gone. Keep it as an earlier type.',
    ]);
  });

  it('is rejected for a renamed type', () => {
    const renamed = topicWith({ 'created.v2': released });

    expect(refusedChanges(topicWith({ created: released }), renamed)).to.have.length(1);
  });

  it('is rejected for a removed topic', () => {
    expect(refusedChanges(topicWith({ created: released }), {})).to.deep.equal([
      'webhooks: the topic is gone',
    ]);
  });

  it('is rejected for another key', () => {
    const before = topicWith({ created: released });

    expect(refusedChanges(before, topicWith({ created: released }, 'acct'))).to.deep.equal([
      'webhooks: the key is acct and was wh',
    ]);
  });

  it('is rejected for a removed header', () => {
    const before = topicWith({ created: released });
    const after = {
      webhooks: { key: 'wh', values: {}, ...before['webhooks'], headers: jsonSchemaOf(z.object({})) },
    };

    expect(refusedChanges(before, after)[0]).to.equal('webhooks, headers.ce_id is gone');
  });
});

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
