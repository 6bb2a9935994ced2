import { expect } from 'chai';

import { describedApi } from '../../contract/describedApi.js';

const document = JSON.parse(JSON.stringify(describedApi())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};

interface Described {
  readonly operationId: string;
}

interface Part {
  readonly place: string;
  readonly value: Readonly<Record<string, unknown>>;
}

const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

/** Every object below a part of the document, except examples. */
function partsOf(value: unknown, place = '#'): readonly Part[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  const below = Object.entries(value)
    .filter(([key]) => key !== 'example')
    .flatMap(([key, each]) => partsOf(each, `${place}/${key}`));
  return Array.isArray(value) ? below : [{ place, value: { ...value } }, ...below];
}

const parts = partsOf(document);
const placesOf = (isFault: (part: Part) => boolean) => parts.filter(isFault).map(({ place }) => place);

/** The operations that take an API key. Published ids never change, because they name the methods of generated clients. */
const operationIds = [
  'cancelReplay',
  'createApiKey',
  'createEvent',
  'createEventBatch',
  'createPortalSession',
  'createReplay',
  'createWebhook',
  'deleteApiKey',
  'deleteEventType',
  'deletePortalSessions',
  'deleteTenant',
  'deleteWebhook',
  'listApiKeys',
  'listAttempts',
  'listAuditLog',
  'listEventAttempts',
  'listEventTypes',
  'listEvents',
  'listReplays',
  'listTenants',
  'listUsers',
  'listWebhookAttempts',
  'listWebhooks',
  'previewWebhook',
  'putEventType',
  'putTenant',
  'resendEvent',
  'retrieveAccount',
  'retrieveDeliveryHealth',
  'retrieveDeliveryStats',
  'retrieveEvent',
  'retrieveEventCatalog',
  'retrieveEventType',
  'retrieveEventTypeUsage',
  'retrievePortalSession',
  'retrieveReplay',
  'retrieveTenant',
  'retrieveWebhook',
  'retrieveWebhookHealth',
  'rotateWebhookSecret',
  'streamEvents',
  'testWebhook',
  'updateAccount',
  'updateWebhook',
];

describe('the OpenAPI document, for generators of clients', () => {
  it('keeps every operation id', () => {
    expect(operations.map(({ operationId }) => operationId)).to.include.members(operationIds);
  });

  it('names the schema of each object, because generators number objects without names', () => {
    const unnamed = placesOf(({ place, value }) => {
      // Below `properties`, a field may itself have the name `properties`.
      const isField = place.endsWith('/properties');
      return !isField && 'properties' in value && !/^#\/components\/schemas\/\w+$/.test(place);
    });
    expect(unnamed).to.deep.equal([]);
  });

  it('leaves responses open for new fields', () => {
    const closed = Object.entries(document.components.schemas)
      .filter(([, schema]) => 'additionalProperties' in schema && schema.additionalProperties === false)
      .map(([name]) => name);
    expect(closed.filter((name) => !name.endsWith('Request') && name !== 'BatchEvent')).to.deep.equal([]);
    const inResponses = placesOf(
      ({ place, value }) => place.includes('/responses/') && value['additionalProperties'] === false,
    );
    expect(inResponses).to.deep.equal([]);
  });
});
