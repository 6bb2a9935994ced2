import { expect } from 'chai';

import {
  deadLetterHeaders,
  markerHeaders,
  readDeadLetter,
  redrivenHeaders,
  type DeadLetter,
} from '../../../../shared/log/records/deadLetter.js';
import { start } from '../../../support/facts.js';

const refusal = {
  ...{ reason: 'the value is not JSON', group: 'postrider.stats.v1' },
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
  const letter = letterOf({ ...own, ...deadLetterHeaders(refusal) });

  it('is read as the record that it was, and why it is here', () => {
    expect(letter).to.deep.equal({
      position: { topic: 'events', partition: 3, offset: 1042 },
      ...{ reason: refusal.reason, group: refusal.group, at: start },
      ...{ key, value, headers: own, redrivenFrom: [], model: null },
    });
  });

  it('names the read model that cannot fold the record, apart from its own headers', () => {
    const unfolded = letterOf({ ...own, ...deadLetterHeaders({ ...refusal, model: 'stats' }) });
    expect([unfolded.model, unfolded.headers]).to.deep.equal(['stats', own]);
  });

  it('is redriven with its own headers and where it stood', () => {
    expect(redrivenHeaders(letter)).to.deep.equal({ ...own, dlq_redriven: 'events/3/1042' });
  });

  it('that comes back is a letter with a trace, not a marker', () => {
    const back = letterOf({ ...redrivenHeaders(letter), ...deadLetterHeaders({ ...refusal, offset: 2000 }) });
    expect([back.redrivenFrom, redrivenHeaders(back)['dlq_redriven']]).to.deep.equal([
      ['events/3/1042'],
      'events/3/1042,events/3/2000',
    ]);
  });

  it('has a trace that does not grow for ever', () => {
    let headers = redrivenHeaders(letter);
    for (let times = 0; times < 50; times += 1) {
      headers = redrivenHeaders(letterOf({ ...headers, ...deadLetterHeaders(refusal) }));
    }
    expect(String(headers['dlq_redriven']).split(',')).to.have.lengthOf(10);
  });

  it('is a marker where it says that it was redriven and nothing was refused', () => {
    expect(read(markerHeaders(letter, 'postrider.events', start))).to.deep.equal({
      kind: 'redriven',
      position: letter.position,
    });
  });

  const foreign: readonly (readonly [string, Record<string, string>])[] = [
    ['without headers', {}],
    ['without an offset', { ...deadLetterHeaders(refusal), dlq_offset: '' }],
    ['with an offset that is none', { ...deadLetterHeaders(refusal), dlq_offset: '-1' }],
    ['without a time', { ...deadLetterHeaders(refusal), dlq_time: '' }],
    ['with a position alone', { dlq_partition: '1', dlq_offset: '1' }],
  ];
  for (const [what, headers] of foreign) {
    it(`is none of the service's ${what}`, () => {
      expect(read(headers).kind).to.equal('foreign');
    });
  }
});
