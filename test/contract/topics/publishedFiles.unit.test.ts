import { existsSync, readdirSync, readFileSync } from 'node:fs';

import { Parser } from '@asyncapi/parser';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import fc from 'fast-check';

import { deliveryRecords } from '../../../shared/log/records/deliveries.js';
import { encodeEvent } from '../../../shared/log/records/events.js';
import type { OutgoingRecord } from '../../../shared/log/encoding/record.js';
import { webhookRecords } from '../../../shared/log/records/webhooks.js';
import {
  anyContext,
  anyDeliveryFact,
  anyEvent,
  anyEventMatched,
  anyWebhookFact,
} from '../../support/arbitraries.js';
import { publicTopics } from './jsonSchemas.js';
import { publishedFiles, publishedFolder } from './publishedFiles.js';
import { releaseFile } from './release.js';

/** Whether a severity is a fault: errors and warnings are, suggestions are not. */
const isFault: readonly boolean[] = [true, true, false, false];

const remedy = 'run "npm run docs:topics"';

describe('the published description of the topics', () => {
  let files: ReadonlyMap<string, string>;

  before(async () => {
    files = await publishedFiles();
  });

  it(`is current; otherwise ${remedy}`, () => {
    const stale = [...files].filter(
      ([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text,
    );

    expect(stale.map(([file]) => file)).to.deep.equal([]);
  });

  it(`has no other files; otherwise ${remedy}`, () => {
    const there = readdirSync(publishedFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`);

    expect(there).to.have.members([...files.keys(), releaseFile]);
  });

  it('is a valid AsyncAPI document with a channel for each topic for subscribers, and no other', async () => {
    const { document, diagnostics } = await new Parser().parse(
      files.get(`${publishedFolder}/asyncapi.yaml`) ?? '',
    );
    const found = diagnostics.filter(({ severity }) => isFault[severity]).map(({ message }) => message);
    const addresses = document
      ?.channels()
      .all()
      .map((channel) => channel.address());

    expect([found, document?.version()]).to.deep.equal([[], '3.0.0']);
    expect(addresses).to.have.members(publicTopics().map(([name]) => `postrider.${name}`));
  });

  const withMode = anyContext.map((context) => ({ ...context, mode: context.mode ?? 'live' }));
  const written: Record<string, fc.Arbitrary<OutgoingRecord>> = {
    events: anyEvent.map((event) => encodeEvent(event)),
    webhooks: fc
      .tuple(anyWebhookFact, withMode)
      .map(([fact, context]) => webhookRecords.encode(fact, context)),
    deliveries: fc
      .tuple(fc.oneof(anyDeliveryFact, anyEventMatched), withMode)
      .map(([fact, context]) => deliveryRecords.encode(fact, context, 0)),
  };
  for (const [topic, anyRecord] of Object.entries(written)) {
    it(`fits every record that is written to ${topic}`, () => {
      const valueFits = validators(files, topic);
      fc.assert(
        fc.property(anyRecord, ({ headers, value }) => {
          expect(valueFits('headers', headers)).to.equal('');
          const type = topic === 'events' ? 'event' : (headers['ce_type'] ?? '');
          expect(valueFits(type, JSON.parse(value.toString()))).to.equal('');
        }),
        { numRuns: 100 },
      );
    });
  }
});

/** The errors of a published schema of a topic in some content. Empty if there are none. */
function validators(files: ReadonlyMap<string, string>, topic: string) {
  const ajv = new Ajv({ validateFormats: false });
  const byName = new Map(
    [...files]
      .filter(([file]) => file.startsWith(`${publishedFolder}/${topic}/`))
      .map(([file, text]) => [
        file.slice(file.lastIndexOf('/') + 1, -'.json'.length),
        ajv.compile(JSON.parse(text)),
      ]),
  );
  return (name: string, content: unknown): string => {
    const validate = byName.get(name);
    return validate === undefined
      ? `no schema ${name}`
      : validate(content)
        ? ''
        : ajv.errorsText(validate.errors);
  };
}
