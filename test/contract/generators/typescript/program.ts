/**
 * Calls each operation once with the generated client, and prints its id and status. The last line is the id of the
 * event whose data is a copy of the data of POSTRIDER_EVENT_ID.
 */
import { createClient } from './client/client/index.js';
import * as api from './client/sdk.gen.js';

const { POSTRIDER_URL: baseUrl = '', POSTRIDER_API_KEY: auth = '' } = process.env;
const { POSTRIDER_WEBHOOK_URL: url = '', POSTRIDER_EVENT_ID: eventId = '' } = process.env;

const client = createClient({ baseUrl, auth });
const options = { client, throwOnError: true } as const;

/** Prints the status of a call. */
async function called<Data>(
  operation: string,
  call: Promise<{ data: Data; response: Response }>,
): Promise<Data> {
  const { data, response } = await call;
  console.log(operation, response.status);
  return data;
}

await called('retrieveAccount', api.retrieveAccount(options));
await called('updateAccount', api.updateAccount({ ...options, body: { portal: { name: 'Shop' } } }));
await called('listUsers', api.listUsers(options));

const key = await called('createApiKey', api.createApiKey({ ...options, body: { name: 'Backend' } }));
await called('listApiKeys', api.listApiKeys(options));
await called('deleteApiKey', api.deleteApiKey({ ...options, path: { id: key.id } }));

const tenant = { id: 'customer-42' };
await called('putTenant', api.putTenant({ ...options, path: tenant, body: { name: 'Acme' } }));
await called('listTenants', api.listTenants({ ...options, query: { search: 'Acme' } }));
await called('retrieveTenant', api.retrieveTenant({ ...options, path: tenant }));
const { token } = await called(
  'createPortalSession',
  api.createPortalSession({ ...options, path: tenant, body: { expiresIn: 600 } }),
);
await called('retrievePortalSession', api.retrievePortalSession({ ...options, auth: token }));
await called('deletePortalSessions', api.deletePortalSessions({ ...options, path: tenant }));
await called('deleteTenant', api.deleteTenant({ ...options, path: tenant }));

const { id: webhookId } = await called(
  'createWebhook',
  api.createWebhook({ ...options, body: { url, events: ['order.*'] } }),
);
const path = { id: webhookId };
await called('listWebhooks', api.listWebhooks({ ...options, query: { include: 'health' } }));
await called('retrieveWebhook', api.retrieveWebhook({ ...options, path }));
await called(
  'updateWebhook',
  api.updateWebhook({
    ...options,
    path,
    body: { name: 'Orders', auth: { type: 'bearer', token: 'secret' } },
  }),
);
await called('rotateWebhookSecret', api.rotateWebhookSecret({ ...options, path, body: { expiresIn: 0 } }));
await called('testWebhook', api.testWebhook({ ...options, path, body: {} }));
await called('previewWebhook', api.previewWebhook({ ...options, path, body: { eventId } }));

const name = 'order.refunded';
const schema = { type: 'object', required: ['orderId'] };
await called(
  'putEventType',
  api.putEventType({
    ...options,
    path: { name },
    body: { schema, examples: [{ orderId: 'ord_1' }], validation: 'warn' },
  }),
);
await called('listEventTypes', api.listEventTypes({ ...options, query: { include: 'usage' } }));
await called('retrieveEventType', api.retrieveEventType({ ...options, path: { name } }));
await called('retrieveEventTypeUsage', api.retrieveEventTypeUsage({ ...options, path: { name } }));
await called('retrieveEventCatalog', api.retrieveEventCatalog(options));

const { type, data } = await called(
  'retrieveEvent',
  api.retrieveEvent({ ...options, path: { id: eventId } }),
);
const copy = await called('createEvent', api.createEvent({ ...options, body: { type, data } }));
await called('createEventBatch', api.createEventBatch({ ...options, body: { events: [{ type, data }] } }));
await called('listEvents', api.listEvents({ ...options, query: { type: ['order.*'] } }));
await called('resendEvent', api.resendEvent({ ...options, path: { id: eventId }, body: {} }));

await called('listAttempts', api.listAttempts(options));
await called('listEventAttempts', api.listEventAttempts({ ...options, path: { id: eventId } }));
await called('listWebhookAttempts', api.listWebhookAttempts({ ...options, path }));
await called('retrieveWebhookHealth', api.retrieveWebhookHealth({ ...options, path }));
await called('retrieveDeliveryHealth', api.retrieveDeliveryHealth(options));
await called('retrieveDeliveryStats', api.retrieveDeliveryStats({ ...options, query: { bucket: 'minute' } }));

const replay = await called(
  'createReplay',
  api.createReplay({ ...options, body: { webhookId, since: copy.created, only: 'all' } }),
);
const replayPath = { id: replay.id ?? '' };
await called('listReplays', api.listReplays(options));
await called('retrieveReplay', api.retrieveReplay({ ...options, path: replayPath }));
await called('cancelReplay', api.cancelReplay({ ...options, path: replayPath }));

await called('deleteEventType', api.deleteEventType({ ...options, path: { name } }));
await called('deleteWebhook', api.deleteWebhook({ ...options, path }));
await called('listAuditLog', api.listAuditLog({ ...options, query: { resourceType: 'webhook' } }));
console.log(copy.id);
