import { expect } from 'chai';

import { readFields, withOptions } from '../../../../cli/developer/resources/webhookFields.js';

describe('the fields of a webhook', () => {
  it('keep what only --fields gives, and take what an option gives', () => {
    const fields = readFields('{"events":["a.*"],"description":"one","tenantId":null,"status":"disabled"}');
    const options = { events: undefined, description: 'two', tenantId: undefined, status: undefined };
    expect(withOptions(fields, options)).to.deep.equal({ ...fields, description: 'two' });
  });

  it('are a JSON object, and never shown in an error', () => {
    for (const text of ['[]', 'null', '{"secret":"whsec_hidden"']) {
      expect(() => readFields(text))
        .to.throw('--fields')
        .not.match(/hidden/);
    }
  });
});
