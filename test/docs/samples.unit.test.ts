import { readFile } from 'node:fs/promises';

import { expect } from 'chai';
import { z } from 'zod';

import { eventSchema } from '../../api/resources/events/routes.js';
import { webhookWithSecretSchema } from '../../api/resources/webhooks/schemas.js';
import { requestBody } from '../../shared/domain/webhooks/requestBody.js';

const page = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The blocks of JSON in a page, in their order. */
function samplesIn(text: string): readonly unknown[] {
  return [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, json = '']) => JSON.parse(json) as unknown);
}

describe('the responses in docs/getting-started.md', () => {
  it('have the fields that the API answers with', async () => {
    const [webhook, event] = samplesIn(await page('docs/getting-started.md'));
    expect(() => webhookWithSecretSchema.strict().parse(webhook)).not.to.throw();
    expect(() => eventSchema.strict().parse(event)).not.to.throw();
  });
});

const deliveredSchema = z.object({
  ...{ id: z.string(), type: z.string(), timestamp: z.coerce.date(), tenantId: z.string() },
  data: z.unknown(),
});

describe('the bodies in docs/receiving.md', () => {
  it('are those that webhooks receive in each format', async () => {
    const [standard, thin, cloudEvent] = samplesIn(await page('docs/receiving.md'));
    const { timestamp: created, data, ...event } = deliveredSchema.parse(standard);
    const { source } = z.object({ source: z.string() }).parse(cloudEvent);
    const content = { ...event, created, data: Buffer.from(JSON.stringify(data)) };
    const accountId = source.replace('/accounts/', '');
    const bodies = (['standard', 'thin', 'cloudevents'] as const).map((format): unknown =>
      JSON.parse(requestBody(content, { accountId, options: { format } }).toString()),
    );
    expect(bodies).to.deep.equal([standard, thin, cloudEvent]);
  });
});
