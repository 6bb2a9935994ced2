import { expect } from 'chai';

import {
  accentOf,
  faultsOf,
  fieldOf,
  fieldsOf,
  inputOf,
  noFaults,
} from '../../../dashboard/portalSettings/portalFields.js';

const settings = {
  name: 'Shop',
  logoUrl: 'https://example.com/logo.svg',
  accentColor: '#3a4fd0',
  colorScheme: 'dark',
  origins: ['https://a.example.com', 'https://b.example.com'],
} as const;

describe('the form of the portal’s settings', () => {
  it('shows the settings, and sends them unchanged', () => {
    expect(inputOf(fieldsOf({ ...settings, origins: [...settings.origins] }))).to.deep.equal(settings);
  });

  it('sends null for an empty text, and each origin once', () => {
    const empty = { name: ' ', logoUrl: '', accentColor: '', colorScheme: 'auto' } as const;
    expect(
      inputOf({ ...empty, origins: 'https://a.example\n\nhttps://a.example, https://b.example' }),
    ).to.deep.equal({
      name: null,
      logoUrl: null,
      accentColor: null,
      colorScheme: 'auto',
      origins: ['https://a.example', 'https://b.example'],
    });
  });

  it('previews a complete color alone', () => {
    expect(
      ['#FFCC00', ' #ffcc00 ', '#fc0', 'red', ''].map((accentColor) => accentOf({ accentColor })),
    ).to.deep.equal(['#ffcc00', '#ffcc00', null, null, null]);
  });

  it('rejects a text that is no color, and more than 20 origins', () => {
    const fields = fieldsOf({ ...settings, origins: [] });
    const many = Array.from({ length: 21 }, (_, number) => `https://${number}.example.com`).join('\n');
    expect(faultsOf(fields)).to.deep.equal(noFaults);
    expect(faultsOf({ ...fields, accentColor: 'red', origins: many })).to.deep.equal({
      ...noFaults,
      accentColor: 'Enter a color such as #3a4fd0.',
      origins: 'Enter at most 20 origins.',
    });
  });

  it('finds the field that an error of the API is about', () => {
    expect(
      ['portal.origins[1]', 'portal.logoUrl', 'portal.toString', 'origins', null].map(fieldOf),
    ).to.deep.equal(['origins', 'logoUrl', null, null, null]);
  });
});
