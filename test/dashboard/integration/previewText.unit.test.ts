import { expect } from 'chai';

import {
  eventPreviewIn,
  historyPreviewIn,
  outcomeText,
  requestText,
  trialBody,
  trialText,
} from '../../../dashboard/integration/previewText.js';

describe('the preview in the dashboard', () => {
  const request = { method: 'POST' as const, url: 'https://example.com/', headers: { a: 'b' }, body: '{}' };

  it('reads the answer for an event, and that for a filter', () => {
    const ofEvent = { matches: false, reason: 'filter' as const, condition: 'filter.type', request };
    const ofFilter = { checked: 2, matched: 1, samples: [], complete: true };
    expect(eventPreviewIn(ofEvent)).to.deep.equal(ofEvent);
    expect(historyPreviewIn({ ...ofFilter, failed: 0 })).to.deep.equal(ofFilter);
    expect(() => eventPreviewIn(ofFilter)).to.throw();
    expect(() => historyPreviewIn(ofEvent)).to.throw();
  });

  it('names the condition that fails, and shows the request', () => {
    expect(outcomeText({ reason: 'filter', condition: 'filter.data.a' })).to.contain('filter.data.a');
    expect(outcomeText({ reason: 'type', condition: null })).to.match(/type/);
    expect(requestText(request)).to.equal('POST https://example.com/\na: b\n\n{}');
  });

  it('sends the digits of a filter unchanged, and says when not all events were checked', () => {
    const since = new Date('2026-11-20T00:00:00.000Z');
    expect(trialBody(' {"data":{"a":1.10}}\n', since)).to.equal(
      '{"since":"2026-11-20T00:00:00.000Z","filter":{"data":{"a":1.10}}}',
    );
    expect(trialBody(' ', since)).to.contain('"filter":null');
    const counts = { checked: 2, matched: 1, samples: [], complete: true };
    expect(trialText(counts)).to.equal('The filter matches 1 of 2 events.');
    expect(trialText({ ...counts, complete: false })).to.match(/could not be checked/);
  });
});
