import { expect } from 'chai';
import fc from 'fast-check';

import { faultOfEventType } from '../../../dashboard/webhooks/eventType.js';
import { faultOfTypes, faultOfUrl, typesIn } from '../../../dashboard/webhooks/webhookRules.js';
import { isEventType } from '../../../shared/domain/events/event.js';

describe('what the form of a webhook says', () => {
  it('agrees with the service on event types', () => {
    const character = fc.constantFrom('a', 'Z', '0', '_', '.', '-', ' ', 'é', '\n');
    const type = fc.string({ unit: character, maxLength: 130 });
    fc.assert(
      fc.property(type, (given) => {
        expect(faultOfEventType(given) === null).to.equal(isEventType(given));
      }),
    );
  });

  it('takes the address of a receiver', () => {
    expect(['https://example.com', 'http://127.0.0.1:4000/hook?a=b'].map(faultOfUrl)).to.deep.equal([
      null,
      null,
    ]);
  });

  for (const [what, url] of [
    ['no address', 'example.com'],
    ['another protocol', 'ftp://example.com/'],
    ['a script', 'javascript:alert(1)'],
    ['a password', 'https://user:secret@example.com/'],
    ['a fragment', 'https://example.com/#part'],
    ['an empty fragment', 'https://example.com/#'],
    ['too many characters', `https://example.com/${'a'.repeat(2048)}`],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(faultOfUrl(url)).to.be.a('string');
    });
  }

  it('takes types from lines and commas, each once', () => {
    expect(typesIn(' order.completed,user.signup\n\norder.completed ')).to.deep.equal([
      'order.completed',
      'user.signup',
    ]);
  });

  it('names the type that is none', () => {
    expect(faultOfTypes(['a', 'b..c'])).to.contain('b..c');
    expect(faultOfTypes([])).to.be.a('string');
    expect(faultOfTypes(['a'])).to.equal(null);
  });
});
