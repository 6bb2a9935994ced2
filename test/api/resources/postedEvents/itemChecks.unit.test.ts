import { expect } from 'chai';

import type { EventCheck } from '../../../../api/eventTypes/eventCheck.js';
import { isApiError } from '../../../../api/http/apiError.js';
import { checkItems } from '../../../../api/resources/postedEvents/itemChecks.js';

const owner = { accountId: 'acct_1', mode: 'live', tenant: null } as const;

function itemsOf(types: readonly string[]) {
  return types.map((type, index) => ({
    id: `evt_${String(index)}`,
    isRepeat: false,
    item: {
      ...{ type, data: Buffer.from('{}'), attributes: null, key: null },
      ...{ place: `events[${String(index)}]`, tenantPlace: '', tenantId: undefined, keyPlace: '' },
    },
  }));
}

/** The results of events of which each check takes as long as a test says. */
async function resultsOf(types: readonly string[], checkMs: number): Promise<readonly string[]> {
  let time = 0;
  const find = (_owner: unknown, type: string): EventCheck | null =>
    type === 'unchecked'
      ? null
      : {
          mode: type === 'warn' ? 'warn' : 'reject',
          check: () => {
            time += checkMs;
            return { status: 'valid', param: null, code: null };
          },
        };
  const items = itemsOf(types);
  const recorded = () => Promise.resolve(new Map());
  const { errors, validations } = await checkItems(
    { checks: { find }, recorded, now: () => time },
    owner,
    items,
  );
  return items.map((item) => {
    const error = errors.get(item);
    return error !== undefined && isApiError(error)
      ? `${error.errorCode} ${error.param ?? ''}`
      : (validations.get(item)?.status ?? 'unchecked');
  });
}

describe('the checks of the events of a batch', () => {
  it('end after 5 s: with `reject` the other events are unavailable, and with `warn` unknown', async () => {
    // Eight checks of a batch run at the same time.
    const early = Array.from({ length: 8 }, () => 'reject');
    expect(await resultsOf([...early, 'reject', 'warn', 'unchecked'], 700)).to.deep.equal([
      ...early.map(() => 'valid'),
      'service_unavailable events[8]',
      'unknown',
      'unchecked',
    ]);
  });

  it('check all events that need less time', async () => {
    const types = Array.from({ length: 9 }, () => 'reject');
    expect(await resultsOf(types, 500)).to.deep.equal(types.map(() => 'valid'));
  });
});
