import { expect } from 'chai';

import { optionFacts } from '../../../dashboard/webhooks/optionFacts.js';
import {
  faultsOfOptions,
  noOptionFaults,
  optionsInput,
  optionTextsOf,
  refusedOptions,
  shownOptionFaults,
} from '../../../dashboard/webhooks/optionRules.js';

const none = {
  filter: null,
  timeoutSeconds: null,
  signatureHeaderPrefix: null,
  format: null,
  metadata: null,
  headers: null,
  auth: null,
};
const set = {
  filter: { type: 'a' },
  timeoutSeconds: 20,
  signatureHeaderPrefix: 'svix',
  format: 'thin' as const,
  metadata: { team: 'orders' },
  headers: [{ name: 'x-a', updated: '2026-11-21T06:46:40.628Z' }],
  auth: { type: 'bearer' as const, updated: '2026-11-21T06:46:40.628Z' },
};

describe('the options in the form of a webhook', () => {
  const texts = optionTextsOf(null);

  it('are empty for a new webhook, and remove nothing', () => {
    expect(faultsOfOptions(texts)).to.deep.equal(noOptionFaults);
    expect(optionsInput(texts, null)).to.deep.equal({
      timeoutSeconds: null,
      signatureHeaderPrefix: null,
      format: null,
      metadata: null,
    });
  });

  it('are those of the webhook, and leave out an unchanged filter and unchanged headers', () => {
    const { filter: _filter, headers: _headers, auth: _auth, ...others } = set;
    expect(faultsOfOptions(optionTextsOf(set))).to.deep.equal(noOptionFaults);
    expect(optionsInput(optionTextsOf(set), set)).to.deep.equal(others);
  });

  it('are removed by empty texts', () => {
    const { auth: _auth, ...others } = none;
    expect(optionsInput(texts, set)).to.deep.equal({ ...others, headers: { 'x-a': null } });
  });

  for (const timeoutSeconds of ['0', '31', '1.5', 'x', '-1']) {
    it(`reject a time limit of ${timeoutSeconds}`, () => {
      expect(faultsOfOptions({ ...texts, timeoutSeconds }).timeoutSeconds).to.match(/1 to 30/);
    });
  }

  it('keep the value of a header whose field is empty, and set, add and remove others', () => {
    const [stored] = optionTextsOf(set).headers;
    const added = { name: ' X-B ', value: ' b ', isStored: false };
    const changed = { name: 'x-a', value: 'c', isStored: true };
    const input = (...headers: (typeof added)[]) => optionsInput({ ...texts, headers }, set).headers;
    expect(stored && input(stored, added)).to.deep.equal({ 'X-B': 'b' });
    expect(input(changed, { name: '', value: '', isStored: false })).to.deep.equal({ 'x-a': 'c' });
    expect(input(added)).to.deep.equal({ 'x-a': null, 'X-B': 'b' });
  });

  for (const [name, value, fault] of [
    ['x-a', 'a', /twice/],
    ['', 'a', /name/],
    ['x-b', '', /value/],
  ] as const) {
    it(`reject the header ${name}: ${value}`, () => {
      const headers = [...optionTextsOf(set).headers, { name, value, isStored: false }];
      expect(faultsOfOptions({ ...texts, headers }).headers).to.match(fault);
    });
  }

  it('show an error of the service at its option, behind an error of the page', () => {
    const failure = { code: 'parameter_invalid', param: 'metadata.a', message: 'is wrong' };
    const refused = refusedOptions(failure as Parameters<typeof refusedOptions>[0]);
    expect(refused).to.deep.equal({ ...noOptionFaults, metadata: 'is wrong' });
    const wrong = { ...texts, metadata: [{ key: '', value: 'a' }] };
    expect(shownOptionFaults(texts, refused).metadata).to.equal('is wrong');
    expect(shownOptionFaults(wrong, refused).metadata).to.equal('Enter a key for each value.');
    expect(refusedOptions(null)).to.equal(null);
  });
});

describe('the options on the page of a webhook', () => {
  it('are shown if they are set', () => {
    expect(optionFacts(none)).to.deep.equal([]);
    expect(optionFacts({ ...none, metadata: {} })).to.deep.equal([]);
    expect(optionFacts(set).map(({ text }) => text)).to.deep.equal([
      '{\n  "type": "a"\n}',
      '20 s',
      'svix-id, svix-timestamp, svix-signature',
      'Thin, without data',
      'Bearer token',
      'x-a: ***',
      'team: orders',
    ]);
  });
});
