import { expect } from 'chai';

import { describeEvent } from '../../../../cli/developer/resources/eventTable.js';

describe('the description of an event', () => {
  it('has the text of its data with all digits, in printable characters', () => {
    const data = '{\n\t"amount": 12345678901234567890.10, "note":"\u202e"}';
    const head =
      '"id":"evt_1","type":"a.b","created":"2026-11-21T06:46:41.388Z","tenantId":null,"mode":"live"';
    const shown = describeEvent(Buffer.from(`{${head},"deliveries":[],"data":${data}}`));
    expect(shown).to.contain('{\n\t"amount": 12345678901234567890.10, "note":"?"}');
  });
});
