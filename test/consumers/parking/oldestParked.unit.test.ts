import { expect } from 'chai';

import { createOldestParked } from '../../../consumers/parking/backlogReport.js';
import { secondsLater } from '../../support/facts.js';
import { accountId, parkedDeliveries } from './parkedDeliveries.js';

/** Backlogs whose oldest events were created at these seconds; null for an empty backlog. A call reads at most four. */
function backlogs(oldest: (number | null)[]) {
  let reads = 0;
  const [entry] = parkedDeliveries(1);
  const oldestParked = createOldestParked(
    {
      first: ({ home, lane }) => {
        reads += lane === '-' ? 1 : 0;
        const second = oldest[home] ?? null;
        return Promise.resolve(
          entry === undefined || second === null || lane === 'replay'
            ? []
            : [{ ...entry, created: secondsLater(second) }],
        );
      },
    },
    4,
  );
  const all = oldest.map((_, home) => ({ accountId, tenancy: null, webhookId: 'wh_1', home }));
  const read = async () => {
    reads = 0;
    return { oldest: await oldestParked(all), reads };
  };
  return { read, oldest };
}

describe('the oldest parked delivery', () => {
  it('is read from all backlogs if they are few', async () => {
    const { read } = backlogs([30, 10, null]);
    expect(await read()).to.deep.equal({ oldest: secondsLater(10), reads: 3 });
  });

  it('is null without a parked delivery', async () => {
    expect((await backlogs([]).read()).oldest).to.equal(null);
    expect((await backlogs([null]).read()).oldest).to.equal(null);
  });

  it('is unknown until each of many backlogs was read, and is then found with few reads', async () => {
    const { read, oldest } = backlogs([30, 40, 50, 60, 70, 80, 20, 90]);
    expect(await read()).to.deep.equal({ oldest: 'unknown', reads: 4 });
    expect(await read()).to.deep.equal({ oldest: secondsLater(20), reads: 4 });
    oldest[6] = 100;
    expect(await read()).to.deep.equal({ oldest: secondsLater(30), reads: 4 });
  });

  it('is found after some reads if the delivery of an older event is parked later', async () => {
    const { read, oldest } = backlogs([30, 40, 50, 60, 70, 80, 20, 90]);
    await read();
    await read();
    oldest[7] = 5;
    const found = [await read(), await read(), await read(), await read()].map((one) => one.oldest);
    expect(found.at(-1)).to.deep.equal(secondsLater(5));
  });
});
