import { expect } from 'chai';

import { createKnownBacklogs } from '../../../consumers/parking/knownBacklogs.js';
import { UnavailableError } from '../../../shared/core/errors.js';

function knownBacklogs(count: () => Promise<number>) {
  let time = 0;
  const backlogs = createKnownBacklogs({ pages: { count }, webhookConcurrency: 5, now: () => time });
  return {
    ...backlogs,
    advance: (ms: number) => {
      time += ms;
    },
  };
}

describe('the known backlogs', () => {
  it('do not count deliveries that were parked in the last two seconds, so a quick webhook leaves its backlog', async () => {
    const backlogs = knownBacklogs(() => Promise.resolve(60));
    Array.from({ length: 60 }).forEach(() => {
      backlogs.add('wh_1');
    });
    backlogs.advance(1000);

    expect([await backlogs.isLong('wh_1'), backlogs.isKnown('wh_1')]).to.deep.equal([false, false]);
  });

  it('are long if more deliveries wait than were parked in the last two seconds', async () => {
    const backlogs = knownBacklogs(() => Promise.resolve(300));
    backlogs.add('wh_1');
    backlogs.advance(1000);

    expect([await backlogs.isLong('wh_1'), backlogs.isKnown('wh_1')]).to.deep.equal([true, true]);
  });

  it('are long while the read model cannot be read, because parking needs the log alone', async () => {
    const backlogs = knownBacklogs(() => Promise.reject(new UnavailableError('no model')));
    backlogs.add('wh_1');
    backlogs.advance(1000);

    expect(await backlogs.isLong('wh_1')).to.equal(true);
  });
});
