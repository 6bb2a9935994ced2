import { expect } from 'chai';

import { isEventType } from '../../../../shared/domain/events/event.js';

describe('isEventType', () => {
  const allowed = ['order.completed', 'user.signup', 'a', 'A_1.b_2.C', '0', '_', 'a.b.c.d', 'x'.repeat(128)];
  for (const type of allowed) {
    it(`is true for ${type}`, () => {
      expect(isEventType(type)).to.equal(true);
    });
  }

  const refused = {
    'no text': '',
    'a dot alone': '.',
    'a dot before': '.order',
    'a dot behind': 'order.',
    'an empty word': 'order..completed',
    'a hyphen': 'order-completed',
    'a space': 'order completed',
    'a slash': 'order/completed',
    'the sign for all types': '*',
    'a pattern': 'order.*',
    'a line end behind': 'order.completed\n',
    'a letter beyond ASCII': 'order.größe',
    '129 characters': 'x'.repeat(129),
    'words of 129 characters together': `${'x'.repeat(64)}.${'y'.repeat(64)}`,
  };
  for (const [what, type] of Object.entries(refused)) {
    it(`is false for ${what}`, () => {
      expect(isEventType(type)).to.equal(false);
    });
  }

  // Backtracking would exceed the time limit of the test.
  it('is false for a long text that nearly matches', () => {
    expect(isEventType(`${'a'.repeat(10_000_000)}!`)).to.equal(false);
  });
});
