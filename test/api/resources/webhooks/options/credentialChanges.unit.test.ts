import { randomBytes } from 'node:crypto';

import { expect } from 'chai';

import { isApiError } from '../../../../../api/http/apiError.js';
import {
  credentialChanges,
  type GivenCredentials,
} from '../../../../../api/resources/webhooks/options/credentialChanges.js';
import {
  changedCredentials,
  credentialOwner,
  type HasCredentials,
} from '../../../../../shared/domain/webhooks/credentials.js';
import { maximumHeaders, type HeaderUpdate } from '../../../../../shared/domain/webhooks/customHeaders.js';
import { createSecretBox } from '../../../../../shared/security/secretBox.js';
import { start } from '../../../../support/facts.js';

const id = 'wh_1';
const planted = 'planted-1';
const box = createSecretBox([{ id: 'k1', bytes: randomBytes(32) }]);

function outcome(
  present: HasCredentials,
  headers: HeaderUpdate,
  signatureHeaderPrefix: string | null = null,
) {
  return credentialChanges(
    { webhook: { id, ...present }, given: { headers }, url: 'https://a.example', signatureHeaderPrefix },
    box,
  );
}

function changes(present: HasCredentials, headers: HeaderUpdate) {
  const result = outcome(present, headers);
  if (isApiError(result)) {
    throw new Error(result.message);
  }
  return result;
}

function paramOf(result: ReturnType<typeof outcome>) {
  return isApiError(result) ? result.param : null;
}

/** The credentials of a webhook with these headers. */
function withHeaders(headers: HeaderUpdate): HasCredentials {
  return changedCredentials({}, changes({}, headers), start);
}

describe('the changes of credentials that a request makes', () => {
  it('contain no value in clear text', () => {
    expect(JSON.stringify(changes({}, { 'X-A': planted }))).not.to.include(planted);
  });

  it('seal each value for its webhook and its name', () => {
    const value = changes({}, { 'X-A': planted })[0]?.to ?? { key: '', sealed: '' };

    expect(box.open(value, credentialOwner(id, 'headers/x-a'))?.toString()).to.equal(planted);
    expect(box.open(value, credentialOwner(id, 'headers/x-b'))).to.equal(null);
    expect(box.open(value, credentialOwner('wh_2', 'headers/x-a'))).to.equal(null);
  });

  it('are none for values that the headers already have', () => {
    const present = withHeaders({ 'x-a': planted });

    expect(changes(present, { 'X-A': planted, 'x-b': null })).to.deep.equal([]);
    expect(changes({}, null)).to.deep.equal([]);
  });

  it('merge by lower-case name, and keep what the request does not name', () => {
    const present = withHeaders({ 'x-a': 'a', 'x-b': 'b', 'x-kept': 'kept' });

    const made = changes(present, { 'X-A': 'other', 'X-B': null, 'x-c': 'c' });

    const kinds = made.map(({ name, from, to }) => [name, from !== null, to !== null]);
    expect(kinds).to.deep.equal([
      ['headers/x-a', true, true],
      ['headers/x-b', true, false],
      ['headers/x-c', false, true],
    ]);
    const after = changedCredentials(present, made, start).credentials?.map(({ name }) => name);
    expect(after).to.deep.equal(['headers/x-a', 'headers/x-kept', 'headers/x-c']);
  });

  it('remove all headers with null', () => {
    const present = withHeaders({ 'x-a': planted, 'x-b': planted });

    expect(changedCredentials(present, changes(present, null), start)).to.deep.equal({});
  });

  it('are rejected if the merge exceeds a limit', () => {
    const names = Array.from({ length: maximumHeaders }, (_, index) => [`x-${String(index)}`, planted]);
    const present = withHeaders(Object.fromEntries(names) as Record<string, string>);

    expect(paramOf(outcome(present, { 'x-more': planted }))).to.equal('headers');
    expect(paramOf(outcome(present, { 'x-1': 'v'.repeat(8192) }))).to.equal('headers');
    expect(paramOf(outcome(present, { 'x-1': null, 'x-more': planted }))).to.equal(null);
  });

  it('are rejected for the signature headers of the webhook, also if only their prefix changes', () => {
    expect(paramOf(outcome({}, { 'Webhook-Id': planted }))).to.equal('headers.Webhook-Id');
    expect(paramOf(outcome({}, { 'Svix-Id': planted }, 'svix'))).to.equal('headers.Svix-Id');
    expect(paramOf(outcome({}, { 'svix-id': planted }))).to.equal(null);
    const present = withHeaders({ 'svix-id': planted });
    expect(paramOf(outcome(present, { 'x-a': planted }, 'svix'))).to.equal('signatureHeaderPrefix');
    expect(paramOf(outcome(present, { 'Svix-Id': null }, 'svix'))).to.equal(null);
  });
});

const basic = { type: 'basic', username: 'shop', password: planted } as const;
const bearer = { type: 'bearer', token: planted } as const;
const mtls = { type: 'mtls', certificate: 'c', privateKey: planted } as const;

/** The names of the credentials after a request, or the parameter of its error. */
function namesAfter(present: HasCredentials, given: GivenCredentials, url = 'https://a.example') {
  const made = credentialChanges(
    { webhook: { id, ...present }, given, url, signatureHeaderPrefix: null },
    box,
  );
  return isApiError(made)
    ? made.param
    : (changedCredentials(present, made, start).credentials ?? []).map(({ name }) => name);
}

/** The credentials of a webhook with this authentication. */
function withAuth(auth: GivenCredentials['auth']): HasCredentials {
  const made = credentialChanges(
    { webhook: { id }, given: { auth }, url: 'https://a.example', signatureHeaderPrefix: null },
    box,
  );
  return isApiError(made) ? {} : changedCredentials({}, made, start);
}

describe('the authentication that a request gives', () => {
  it('is sealed as a whole, and replaces the present one', () => {
    const present = withAuth(basic);

    expect(JSON.stringify(present)).not.to.include(planted);
    expect(namesAfter(present, {})).to.deep.equal(['auth/basic']);
    expect(namesAfter(present, { auth: bearer })).to.deep.equal(['auth/bearer']);
    expect(namesAfter(present, { auth: null })).to.deep.equal([]);
  });

  it('changes nothing if it is the present one', () => {
    const request = { given: { auth: basic }, url: 'https://a.example', signatureHeaderPrefix: null };

    expect(credentialChanges({ webhook: { id, ...withAuth(basic) }, ...request }, box)).to.deep.equal([]);
  });

  it('excludes a header with the same purpose, unless it is a certificate', () => {
    const headers = { Authorization: 'a' };

    expect(namesAfter(withHeaders(headers), { auth: basic })).to.equal('auth');
    expect(namesAfter({}, { auth: bearer, headers })).to.equal('auth');
    expect(namesAfter(withAuth(bearer), { headers })).to.equal('headers.authorization');
    expect(namesAfter(withAuth(bearer), { headers, auth: null })).to.deep.equal(['headers/authorization']);
    expect(namesAfter(withHeaders(headers), { auth: mtls })).to.include('auth/mtls');
  });

  it('is no certificate for a webhook without TLS', () => {
    expect(namesAfter({}, { auth: mtls }, 'http://a.example')).to.equal('auth');
    expect(namesAfter(withAuth(mtls), {}, 'http://a.example')).to.equal('url');
    expect(namesAfter(withAuth(basic), {}, 'http://a.example')).to.deep.equal(['auth/basic']);
  });
});
