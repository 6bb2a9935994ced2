import { expect } from 'chai';

import { attemptsOfSchedule, type HurtResult, type PairEnd } from './hurtRun.js';

/** The tests of all accepted events, whatever faults occurred and when. */
export function testEnds(resultOf: () => HurtResult): void {
  const pairsWhere = (isWrong: (pair: PairEnd) => boolean) =>
    resultOf()
      .pairs.filter(isWrong)
      .map(({ pair, delivery, codes }) => [pair, delivery?.status, codes]);

  it('ends every accepted event in exactly one status for each webhook', () => {
    expect(new Set(resultOf().pairs.map(({ pair }) => pair)).size).to.equal(resultOf().accepted * 3);
    expect(resultOf().pairs).to.have.lengthOf(resultOf().accepted * 3);
  });

  it('shows exactly the deliveries with a 2xx as delivered', () => {
    const wrong = pairsWhere(
      ({ delivery, codes }) => (delivery?.status === 'delivered') !== codes.includes(204),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('fails a delivery only when the schedule is exhausted', () => {
    const wrong = pairsWhere(
      ({ delivery, codes }) =>
        delivery?.status === 'failed' &&
        (delivery.attemptCount < attemptsOfSchedule || codes.length < attemptsOfSchedule),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('ends every delivery as delivered or failed', () => {
    expect(new Set(resultOf().pairs.map(({ delivery }) => delivery?.status))).to.deep.equal(
      new Set(['delivered', 'failed']),
    );
  });
}
