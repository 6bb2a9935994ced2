import { expect } from 'chai';

import { linkTo, linkToEventsOf, sectionOf, viewOf } from '../../../portal/navigation/view.js';

describe('the views of the portal', () => {
  it('are named by the fragment of the address', () => {
    expect(viewOf('#/endpoints/new')).to.deep.equal({ kind: 'newEndpoint' });
    expect(viewOf('#/endpoints/wh_1')).to.deep.equal({ kind: 'endpoint', id: 'wh_1' });
    expect(viewOf('#/endpoints/wh_1/recover')).to.deep.equal({ kind: 'recoverEvents', id: 'wh_1' });
    expect(viewOf('#/events/evt_1')).to.deep.equal({ kind: 'event', id: 'evt_1' });
    expect(viewOf('#/events?endpoint=wh_1&status=failed')).to.deep.equal({
      kind: 'events',
      endpointId: 'wh_1',
      status: 'failed',
    });
    expect(viewOf('#/verify')).to.deep.equal({ kind: 'verify' });
  });

  it('are the list of endpoints for any other fragment', () => {
    for (const fragment of ['', '#', '#/', '#/nothing', '#/endpoints/wh_1/constructor', '#/%']) {
      expect(viewOf(fragment), fragment).to.deep.equal({ kind: 'endpoints' });
    }
  });

  it('are found again by their links, also with characters that a fragment escapes', () => {
    const name = 'order.50%_off/?#';
    expect(viewOf(linkTo('event-types', name))).to.deep.equal({ kind: 'eventType', name });
    expect(sectionOf(viewOf(linkTo('event-types', name)))).to.equal('event-types');
    expect([viewOf(linkToEventsOf('wh_1')), viewOf(linkToEventsOf('wh_1', 'failed'))]).to.deep.equal([
      { kind: 'events', endpointId: 'wh_1', status: null },
      { kind: 'events', endpointId: 'wh_1', status: 'failed' },
    ]);
  });
});
