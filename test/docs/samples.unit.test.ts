import { readFile } from 'node:fs/promises';

import { expect } from 'chai';

import { eventSchema } from '../../api/resources/events/routes.js';
import { webhookWithSecretSchema } from '../../api/resources/webhooks/schemas.js';

/** The responses in the README, in their order. */
async function samples(): Promise<readonly unknown[]> {
  const page = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^```json\n(.*?)^```$/gms)].map(([, text = '']) => JSON.parse(text) as unknown);
}

describe('the responses in the README', () => {
  it('have the fields that the API answers with', async () => {
    const [webhook, event] = await samples();
    expect(() => webhookWithSecretSchema.strict().parse(webhook)).not.to.throw();
    expect(() => eventSchema.strict().parse(event)).not.to.throw();
  });
});
