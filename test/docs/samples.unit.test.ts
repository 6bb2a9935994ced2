import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import { eventSchema } from '../../api/resources/events/routes.js';
import { updateWebhookBody, webhookWithSecretSchema } from '../../api/resources/webhooks/schemas.js';
import { describedApi } from '../contract/describedApi.js';

const page = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The blocks of JSON in a page, in their order. */
function samplesIn(text: string): readonly unknown[] {
  return [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) => JSON.parse(json) as unknown);
}

describe('the responses in the README', () => {
  it('have the fields that the API answers with', async () => {
    const [webhook, event] = samplesIn(await page('README.md'));
    expect(() => webhookWithSecretSchema.strict().parse(webhook)).not.to.throw();
    expect(() => eventSchema.strict().parse(event)).not.to.throw();
  });
});

/** The resources of docs/api.md, with their schemas in the OpenAPI document. */
const resources: Readonly<Record<string, string>> = {
  Event: 'Event',
  Delivery: 'Delivery',
  Webhook: 'Webhook',
  'API key': 'ApiKey',
  Health: 'WebhookHealth',
  Attempt: 'Attempt',
  'Audit entry': 'AuditEntry',
  Account: 'Account',
  'Portal session': 'CreatedPortalSession',
  User: 'User',
  Session: 'Session',
  Replay: 'Replay',
  'event type': 'EventType',
  tenant: 'Tenant',
};

/** The names in a list of fields such as `{id, error: {code}, name?}`. */
function namesIn(fields: string): readonly string[] {
  const flat = fields.replace(/: (\{[^{}]*\}|\[[^\]]*\])/g, '').replace(/[{}\s]/g, '');
  return flat.split(',');
}

/** The names of the fields of an object, with a question mark if a field may be missing. */
function fieldsOf(schema: unknown): readonly string[] {
  const { properties, required = [] } = schema as { properties: object; required?: readonly string[] };
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}

describe('docs/api.md', () => {
  let text: string;
  before(async () => {
    text = await page('docs/api.md');
  });
  const { schemas } = describedApi().components;

  for (const [name, schema] of Object.entries(resources)) {
    it(`names the fields of: ${name}`, () => {
      const [, listed = ''] = new RegExp(`\\*\\*${name}\\*\\*[^*]*?\`(\\{[^\`]*\\})\``).exec(text) ?? [];
      const present = fieldsOf(schemas[schema]).filter((field) => !field.endsWith('?'));
      expect(namesIn(listed)).to.have.members(present);
    });
  }

  const optionNames = () => {
    const [, section = ''] = /^## Webhook options$(.*?)^## /ms.exec(text) ?? [];
    return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
  };

  for (const [operation, schema] of [
    ['POST /v1/webhooks', 'CreateWebhookRequest'],
    ['PATCH /v1/webhooks/{id}', 'UpdateWebhookRequest'],
  ] as const) {
    it(`names the fields of ${operation}, and the options`, () => {
      const row = text.split('\n').find((line) => line.startsWith(`| \`${operation}\` `)) ?? '';
      const [, listed = ''] = /`(\{.*?\})`/.exec(row) ?? [];
      const options = optionNames().map((name) => `${name}?`);
      expect([...namesIn(listed), ...options]).to.have.members(fieldsOf(schemas[schema]));
    });
  }

  it('has samples of options that the API takes', () => {
    const isOptions = (sample: unknown) =>
      optionNames().some((name) => Object.hasOwn(Object(sample) as object, name));
    const samples = samplesIn(text).filter(isOptions);
    expect(samples).not.to.deep.equal([]);
    for (const sample of samples) {
      expect(() => updateWebhookBody.parse(sample)).not.to.throw();
    }
  });
});
