import { isAbsolute } from 'node:path';

import { expect } from 'chai';

import { connectionOf, newConnection } from '../../../../cli/developer/settings/connection.js';
import { userFolder } from '../../../../cli/developer/settings/userFolder.js';

const login = { read: () => JSON.stringify({ url: 'https://a.example', apiKey: 'stored' }) };
const noLogin = { read: () => null };

describe('the connection of a command', () => {
  it('is from the options, else from the environment, else from the login', () => {
    const environment = { POSTRIDER_API_KEY: 'variable', POSTRIDER_URL: 'http://b.example/' };
    const options = { apiKey: 'option', url: 'http://c.example/base/' };
    const chosen = [
      connectionOf(options, environment, login),
      connectionOf({}, environment, login),
      connectionOf({}, {}, login),
    ].map(({ url, apiKey }) => [url.value, apiKey.value]);
    expect(chosen).to.deep.equal([
      ['http://c.example/base', 'option'],
      ['http://b.example', 'variable'],
      ['https://a.example', 'stored'],
    ]);
  });

  it('never takes the stored key to another service', () => {
    expect(() => connectionOf({ url: 'http://b.example' }, {}, login)).to.throw(
      'The stored key belongs to https://a.example',
    );
  });

  it('of a login has a key with its origin, and asks for it if the settings are empty', async () => {
    const readKey = () => Promise.resolve({ value: 'typed', origin: 'this terminal' });
    const keys = [
      await newConnection({ apiKey: 'option' }, { POSTRIDER_API_KEY: 'variable' }, readKey),
      await newConnection({}, { POSTRIDER_API_KEY: 'variable' }, readKey),
      await newConnection({ apiKey: '' }, { POSTRIDER_API_KEY: '' }, readKey),
    ].map(({ apiKey }) => [apiKey.value, apiKey.origin]);
    expect(keys).to.deep.equal([
      ['option', '--api-key'],
      ['variable', 'POSTRIDER_API_KEY'],
      ['typed', 'this terminal'],
    ]);
  });

  it('names the settings of the key if there is none, and never shows a key', () => {
    expect(() => connectionOf({}, {}, noLogin)).to.throw(/--api-key.*POSTRIDER_API_KEY.*postrider login/);
    expect(() => connectionOf({ apiKey: 'sk_live_a\nb' }, {}, noLogin))
      .to.throw()
      .not.match(/sk_live/);
    expect(() => connectionOf({ apiKey: 'k' }, { POSTRIDER_URL: 'localhost:3000' }, noLogin)).to.throw(
      'POSTRIDER_URL',
    );
  });

  it('is never stored below the present folder', () => {
    const folders = ['', undefined].map((HOME) => userFolder({ HOME, XDG_CONFIG_HOME: '' }).path);
    expect(folders.every((folder) => isAbsolute(folder))).to.equal(true);
  });
});
