import { expect } from 'chai';

import { startDeliveryCatchUp } from '../../../api/catchUp/deliveryCatchUp.js';
import { eventually } from '../../support/eventually.js';
import { createOpened } from '../../support/opened.js';

describe('the detection of a delivery backlog', () => {
  const opened = createOpened();
  afterEach(opened.releaseAll);

  /** Over a log of ten events of which so many are committed; null where it does not answer. */
  function catchUpWith(committed: () => number | null) {
    const asked: string[] = [];
    const warnings: string[] = [];
    const catchUp = startDeliveryCatchUp({
      offsets: { ends: () => Promise.resolve([10]) },
      groups: {
        committed: (group, topic) => {
          asked.push(`${group} ${topic}`);
          const offset = committed();
          return offset === null ? Promise.reject(new Error('away')) : Promise.resolve([offset]);
        },
      },
      group: 'postrider.delivery',
      pollIntervalMs: 100,
      logger: { warn: (_details: unknown, message?: string) => warnings.push(String(message)) },
    });
    opened.add('catching up', catchUp.stop);
    const looks = (count: number) => eventually(`${count} looks`, () => asked.length >= count || null);
    return { catchUp, asked, warnings, looks };
  }

  it('takes them for behind before it has looked', () => {
    expect(catchUpWith(() => 10).catchUp.isCatchingUp()).to.equal(true);
  });

  it('looks at what the given group has committed of the events', async () => {
    const { asked, looks } = catchUpWith(() => 10);
    await looks(1);
    expect(asked[0]).to.equal('postrider.delivery events');
  });

  it('sees that events wait, and that they have been delivered', async () => {
    let committed = 9;
    const { catchUp, looks } = catchUpWith(() => committed);
    await looks(2);
    committed = 10;
    await eventually('the end of it', () => !catchUp.isCatchingUp() || null);
  });

  it('goes on looking once they have been delivered', async () => {
    const { catchUp, asked, looks } = catchUpWith(() => 10);
    await eventually('the end of it', () => !catchUp.isCatchingUp() || null);
    await looks(asked.length + 2);
  });

  it('looks again where the log does not answer, and says so', async () => {
    let committed: number | null = null;
    const { catchUp, warnings, looks } = catchUpWith(() => committed);
    await looks(1);
    committed = 10;
    await eventually('a look', () => !catchUp.isCatchingUp() || null);
    expect(warnings).to.deep.equal(['the lag of deliveries is unknown']);
  });
});
