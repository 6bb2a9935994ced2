import { expect } from 'chai';

import { eventually } from '../../test/support/eventually.js';
import { testLibraries } from './support/testLibraries.js';

/** JSON texts that a parser with numbers of 64 bits, or a search for the name of a field, would change. */
const texts: Readonly<Record<string, string>> = {
  'large and exact numbers': '{"integer":12345678901234567890,"decimal":1.50,"exponent":1E40,"zero":-0.0}',
  'other spaces': '{ "a" :\n  [ 1.0 ,\t2e+3 ],"b":{ } }',
  'escape sequences': String.raw`{"text":"\u00e9 é \/ \ud83d\ude00 😀","key\u0041":"\"data\":{\\"}`,
  'fields of the same name': '{"data":{"data":1.50,"type":"x"},"type":"y","id":[{"data":"}"}]}',
  'the same field twice': '{"a":1,"a":2.0}',
};

testLibraries('raw data', (bench) => {
  for (const [name, rawData] of Object.entries(texts)) {
    it(`with ${name} are sent and read byte for byte`, async () => {
      const { client, driver, proxy, settings } = bench();
      const type = `raw.${name.replaceAll(' ', '_')}`;
      proxy.plan();
      const { id } = await driver.call('events.create', { type, rawData }, settings);

      expect(String(proxy.requests[0]?.body)).to.include(rawData);
      expect((await client.get(`/v1/events/${id}`)).text).to.include(`"data":${rawData}`);
      expect(await driver.call('events.retrieve', { id, raw: true }, settings)).to.deep.include({
        id,
        rawData,
      });
      const items = await eventually('the event in the list', async () => {
        const page = await driver.call('events.list', { type, raw: true }, settings);
        return page.items.length > 0 ? page.items : null;
      });
      expect(items.map((item) => [item.id, item.rawData])).to.deep.equal([[id, rawData]]);
      const all = await driver.call('events.listAll', { type, raw: true }, settings);
      expect(all.items.map((item) => item.rawData)).to.deep.equal([rawData]);
      await client.post('/v1/events', `{"type":"${type}","data":${rawData}}`);
      const stream = { count: 1, types: [type], lastEventId: id, raw: true };
      const next = await driver.call('events.stream', stream, settings);
      expect(next.items.map((item) => item.rawData)).to.deep.equal([rawData]);
    });
  }

  it('are values by default', async () => {
    const { driver, settings } = bench();
    const data = { text: 'é 😀 \u2028', list: [1, 2.5, null, true], object: { a: {} } };
    const { id } = await driver.call('events.create', { type: 'raw.not', data }, settings);
    expect(await driver.call('events.retrieve', { id }, settings)).to.deep.include({ id, data });
  });
});
