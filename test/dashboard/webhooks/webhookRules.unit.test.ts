import { expect } from 'chai';
import fc from 'fast-check';

import { faultOfEventType } from '../../../dashboard/webhooks/eventType.js';
import { faultOfTypes, faultOfUrl, typesIn } from '../../../dashboard/webhooks/webhookRules.js';
import { isEventType } from '../../../shared/domain/events/event.js';

describe('the validation in the form of a webhook', () => {
  it('accepts the same event types as the service', () => {
    const character = fc.constantFrom('a', 'Z', '0', '_', '.', '-', ' ', 'é', '\n');
    const type = fc.string({ unit: character, maxLength: 130 });
    fc.assert(
      fc.property(type, (given) => {
        expect(faultOfEventType(given) === null).to.equal(isEventType(given));
      }),
    );
  });

  it('accepts the URL of a receiver', () => {
    expect(['https://example.com', 'http://127.0.0.1:4000/hook?a=b'].map(faultOfUrl)).to.deep.equal([
      null,
      null,
    ]);
  });

  for (const [what, url] of [
    ['a text that is not a URL', 'example.com'],
    ['another protocol', 'ftp://example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['a password', 'https://user:secret@example.com/'],
    ['a fragment', 'https://example.com/#part'],
    ['an empty fragment', 'https://example.com/#'],
    ['too many characters', `https://example.com/${'a'.repeat(2048)}`],
  ] as const) {
    it(`rejects ${what}`, () => {
      expect(faultOfUrl(url)).to.be.a('string');
    });
  }

  it('reads types from lines and commas, each once', () => {
    expect(typesIn(' order.completed,user.signup\n\norder.completed ')).to.deep.equal([
      'order.completed',
      'user.signup',
    ]);
  });

  it('names the invalid event type', () => {
    expect(faultOfTypes(['a', 'b..c'])).to.contain('b..c');
    expect(faultOfTypes([])).to.be.a('string');
    expect(faultOfTypes(['a', 'order.*'])).to.equal(null);
  });
});
