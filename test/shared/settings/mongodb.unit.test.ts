import { expect } from 'chai';

import { configOf, settingErrorOf } from './settings.js';

const accepted = [
  'mongodb://one:27017,two:27018/?replicaSet=rs0',
  'mongodb://user:comma,in-it@one:27017,two:27018/name?replicaSet=rs0',
  'mongodb://user%40example.com:%2C%2F%3A%40%25%C3%BC@one/name',
  'mongodb://[::1]:27017,[2001:db8::1]:27018/name',
  'mongodb+srv://user:password@cluster.example.com/name?retryWrites=true&w=majority',
  'mongodb://%2Ftmp%2Fmongodb-27017.sock/name',
  'mongodb://one/name?maxPoolSize=200&readPreference=primary&tls=true',
];

const form = 'MONGODB_URL is not valid; allowed: an address that begins with mongodb:// or mongodb+srv://';
const encode =
  'percent-encode reserved characters of the user name and the password: @ is %40, / is %2F, % is %25';

const rejected = [
  ['mongodb://user:a@hidden-word@one', `${form} (${encode}).`],
  ['mongodb://user:50%hidden-word@one', `${form} (${encode}).`],
  ['mongodb://user:hidden-word@', `${form}.`],
  ['mongodb+srv://cluster.example.com:27017', `${form} (mongodb+srv URI cannot have port number).`],
  [
    'mongodb+srv://one.example.com,two.example.com',
    `${form} (mongodb+srv URI cannot have multiple service names).`,
  ],
] as const;

describe('the setting MONGODB_URL', () => {
  for (const url of accepted) {
    it(`may be ${url}`, () => {
      expect(configOf({ MONGODB_URL: url }).mongodb.url).to.equal(url);
    });
  }

  for (const [url, message] of rejected) {
    it(`must not be ${url}, and the error shows no password`, () => {
      expect(settingErrorOf({ MONGODB_URL: url })).to.equal(message);
    });
  }

  for (const [option, required] of [
    ['w=1', 'w=majority'],
    ['w=0', 'w=majority'],
    ['readPreference=secondaryPreferred', 'readPreference=primary'],
  ] as const) {
    it(`must not contain ${option}, with which data could be lost`, () => {
      expect(settingErrorOf({ MONGODB_URL: `mongodb://one/?${option}` })).to.equal(
        `MONGODB_URL sets ${option}, with which acknowledged data could be lost. Remove ${option.split('=')[0] ?? ''}, or set ${required}.`,
      );
    });
  }
});
