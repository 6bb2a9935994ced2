import { expect } from 'chai';

import {
  deadLetterHeaders,
  markerHeaders,
  readDeadLetter,
  redrivenHeaders,
  type DeadLetter,
} from '../../../../shared/log/records/deadLetter.js';
import { start } from '../../../support/facts.js';

const rejection = {
  ...{ reason: 'the value of the record is not JSON', group: 'postrider.stats.v1' },
  ...{ topic: 'postrider.events', partition: 3, offset: 1042, at: start },
};
const key = Buffer.from('k');
const value = Buffer.from([255]);
const own = { ce_id: Buffer.from([0, 255]) };

function read(headers: Parameters<typeof readDeadLetter>[1]['headers']) {
  return readDeadLetter('events', { key, value, headers });
}

function letterOf(headers: Parameters<typeof readDeadLetter>[1]['headers']): DeadLetter {
  const entry = read(headers);
  if (entry.kind !== 'letter') {
    throw new Error(`it is ${entry.kind}`);
  }
  return entry.letter;
}

describe('a record of a dead letter topic', () => {
  const letter = letterOf({ ...own, ...deadLetterHeaders(rejection) });

  it('is decoded to the rejected record and the reason', () => {
    expect(letter).to.deep.equal({
      position: { topic: 'events', partition: 3, offset: 1042 },
      ...{ reason: rejection.reason, group: rejection.group, at: start },
      ...{ key, value, headers: own, redrivenFrom: [], model: null },
    });
  });

  it('names the read model that cannot fold the record, separately from the record’s own headers', () => {
    const unfolded = letterOf({ ...own, ...deadLetterHeaders({ ...rejection, model: 'stats' }) });
    expect([unfolded.model, unfolded.headers]).to.deep.equal(['stats', own]);
  });

  it('is redriven with its own headers and its original position', () => {
    expect(redrivenHeaders(letter)).to.deep.equal({ ...own, dlq_redriven: 'events/3/1042' });
  });

  it('is a dead letter, not a marker, if it is rejected again after a redrive', () => {
    const back = letterOf({
      ...redrivenHeaders(letter),
      ...deadLetterHeaders({ ...rejection, offset: 2000 }),
    });
    expect([back.redrivenFrom, redrivenHeaders(back)['dlq_redriven']]).to.deep.equal([
      ['events/3/1042'],
      'events/3/1042,events/3/2000',
    ]);
  });

  it('contains at most ten earlier positions', () => {
    let headers = redrivenHeaders(letter);
    for (let times = 0; times < 50; times += 1) {
      headers = redrivenHeaders(letterOf({ ...headers, ...deadLetterHeaders(rejection) }));
    }
    expect(String(headers['dlq_redriven']).split(',')).to.have.lengthOf(10);
  });

  it('is a marker if it records a redrive and no rejection', () => {
    expect(read(markerHeaders(letter, 'postrider.events', start))).to.deep.equal({
      kind: 'redriven',
      position: letter.position,
    });
  });

  const foreign: readonly (readonly [string, Record<string, string>])[] = [
    ['without headers', {}],
    ['without an offset', { ...deadLetterHeaders(rejection), dlq_offset: '' }],
    ['with an offset that is none', { ...deadLetterHeaders(rejection), dlq_offset: '-1' }],
    ['without a time', { ...deadLetterHeaders(rejection), dlq_time: '' }],
    ['with a position alone', { dlq_partition: '1', dlq_offset: '1' }],
  ];
  for (const [what, headers] of foreign) {
    it(`is foreign to the service ${what}`, () => {
      expect(read(headers).kind).to.equal('foreign');
    });
  }
});
