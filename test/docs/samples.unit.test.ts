import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import { eventSchema } from '../../api/resources/events/routes.js';
import { webhookWithSecretSchema } from '../../api/resources/webhooks/schemas.js';

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
