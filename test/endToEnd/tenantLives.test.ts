import { expect } from 'chai';
import fc from 'fast-check';

import { createClient, type Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { sharedService, type SharedService } from '../support/service.js';

/** What happens to one tenant id. The events of a life are posted in parallel, so they are in several partitions. */
interface Life {
  /** The events that are posted before the tenant is created. */
  readonly before: number;
  /** The events that are posted while the tenant exists. */
  readonly during: number;
}

const anyLife: fc.Arbitrary<Life> = fc.record({ before: fc.nat(2), during: fc.nat(4) });

describe('the lives of a tenant', () => {
  let service: SharedService;
  let client: Client;
  before(async () => {
    service = await sharedService();
    client = createClient(service.address, (await service.createAccount()).liveKey);
  });

  const post = async (tenantId: string, count: number) => {
    const posted = await Promise.all(
      Array.from({ length: count }, () => client.post('/v1/events', { type: 'a', data: {}, tenantId })),
    );
    return posted.map(({ body }) => String(body['id'])).sort();
  };

  const seenBy = async (tenantId: string) => {
    const session = await client.post(`/v1/tenants/${tenantId}/portal-sessions`, {});
    const { body } = await createClient(service.address, String(session.body['token'])).get('/v1/events');
    return (body['data'] as readonly { readonly id: string }[]).map(({ id }) => id).sort();
  };

  const known = (ids: readonly string[]) =>
    eventually('the events', async () => {
      const found = await Promise.all(ids.map((id) => client.get(`/v1/events/${id}`)));
      return found.every(({ status }) => status === 200) ? true : null;
    });

  it('each see exactly the events that were posted between their creation and their deletion', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyLife, { minLength: 2, maxLength: 3 }), async (lives) => {
        number += 1;
        const tenantId = `lives-${number}`;
        for (const { before, during } of lives) {
          await known(await post(tenantId, before));
          await client.put(`/v1/tenants/${tenantId}`, {});
          const posted = await post(tenantId, during);
          await known(posted);
          expect(await seenBy(tenantId)).to.deep.equal(posted);
          await client.delete(`/v1/tenants/${tenantId}`);
        }
      }),
      { numRuns: 2 },
    );
  });
});
