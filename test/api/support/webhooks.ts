import { webhookListSchema, webhookWithSecretSchema } from '../../../api/resources/webhooks/schemas.js';
import { read, type Client } from './client.js';

const url = 'https://example.com/hook';

export async function createWebhook(client: Client, fields: Readonly<Record<string, unknown>> = {}) {
  return read(
    await client.postJson('/v1/webhooks', { url, events: ['*'], ...fields }),
    webhookWithSecretSchema,
  );
}

export async function webhookIdsOf(client: Client, query = ''): Promise<readonly string[]> {
  return read(await client.get(`/v1/webhooks${query}`), webhookListSchema).data.map(({ id }) => id);
}
