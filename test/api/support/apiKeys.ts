import { apiKeyListSchema, apiKeyWithSecretSchema } from '../../../api/resources/apiKeys/routes.js';
import { read, type Client } from './client.js';

export async function createApiKey(client: Client, fields: Readonly<Record<string, unknown>> = {}) {
  return read(await client.postJson('/v1/api-keys', { name: 'Server', ...fields }), apiKeyWithSecretSchema);
}

export async function listApiKeys(client: Client, query = '') {
  return read(await client.get(`/v1/api-keys${query}`), apiKeyListSchema);
}

export async function apiKeyIdsOf(client: Client, query = ''): Promise<readonly string[]> {
  return (await listApiKeys(client, query)).data.map(({ id }) => id);
}
