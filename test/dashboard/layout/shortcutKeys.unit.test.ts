import { expect } from 'chai';

import { shortcutOf } from '../../../dashboard/layout/shortcutKeys.js';

function pressed(key: string, modifier: 'ctrlKey' | 'metaKey' | 'altKey' | null = null) {
  const none = { key, ctrlKey: false, metaKey: false, altKey: false };
  return modifier === null ? none : { ...none, [modifier]: true };
}

describe('the keyboard shortcuts of the dashboard', () => {
  it('are Ctrl-K, /, j, k and ?', () => {
    const presses = [
      pressed('k', 'ctrlKey'),
      pressed('K', 'metaKey'),
      ...['/', 'j', 'k', '?', 'x'].map((key) => pressed(key)),
    ];
    expect(presses.map((press) => shortcutOf(press, false, true))).to.deep.equal([
      'search',
      'search',
      'search',
      'next',
      'previous',
      'help',
      null,
    ]);
  });

  it('leave keys in form fields and keys with modifiers to the browser', () => {
    expect(shortcutOf(pressed('j'), true, true)).to.equal(null);
    expect(shortcutOf(pressed('j', 'altKey'), false, true)).to.equal(null);
    expect(shortcutOf(pressed('k', 'ctrlKey'), true, true)).to.equal('search');
  });

  it('can be limited to keys with a modifier', () => {
    expect(shortcutOf(pressed('j'), false, false)).to.equal(null);
    expect(shortcutOf(pressed('k', 'ctrlKey'), false, false)).to.equal('search');
  });
});
