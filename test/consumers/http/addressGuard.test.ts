import type { LookupAddress } from 'node:dns';
import { networkInterfaces } from 'node:os';

import { expect } from 'chai';

import {
  createDnsResolver,
  createGuardedLookup,
  createPermittedAddresses,
  type NameResolver,
} from '../../../consumers/http/addressGuard.js';
import { type AttemptOutcome, createHttpAttempt } from '../../../consumers/http/httpAttempt.js';
import { body, ok, settings } from './deliveries.js';
import { type NameServer, startNameServer } from './nameServer.js';
import { eventually, type Receiver, startReceiver } from './receiver.js';

/** Ways to write an address of this machine, all of which reach a listener here. */
const waysToThisMachine = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.1.2.3',
  '2130706433',
  '2130706433.',
  '0x7f000001',
  '0X7F000001',
  '0x7f.1',
  '0x7f.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '00000000177.1',
  '127.0.0.0x1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  '0',
  '0.0.0.0',
  '0x0',
  'localhost',
  'LOCALHOST',
  'loc%61lhost',
  'ｌｏｃａｌｈｏｓｔ',
];

/** The same in IPv6, if the machine supports it. */
const waysInIPv6 = [
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0.0.0.1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:7F00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0:0]',
];

/** Forms of addresses that lead into a private network, or to this machine through a gateway. */
const waysInside = [
  '10.0.0.1',
  '012.0.0.1',
  '167772161',
  '172.16.0.1',
  '192.168.1.1',
  '0xc0a80101',
  '100.64.0.1',
  '100.100.100.200',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.43518',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '224.0.0.1',
  '255.255.255.255',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::127.0.0.1]',
  '[64:ff9b:1:7f00:0:100::]',
  '[2002:7f00:1::1]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:808:808::80ff:fffe]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
];

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describe('the address guard', () => {
  let receiver: Receiver;

  beforeEach(async () => {
    receiver = await startReceiver((socket) => socket.write(ok), { host: hasIPv6 ? '::' : '0.0.0.0' });
  });
  afterEach(() => receiver.close());

  const deliverTo = async (host: string, allowPrivateAddresses: boolean): Promise<AttemptOutcome> => {
    const http = createHttpAttempt({ ...settings, allowPrivateAddresses });
    const url = `http://${host}:${receiver.port}/`;
    const outcome = await http.attempt({ url, eventId: 'evt_1', body, secrets: [] });
    http.close();
    await eventually(() => receiver.open() === 0, 'the connection is closed');
    return outcome;
  };

  for (const host of [...waysToThisMachine, ...waysInIPv6, ...waysInside]) {
    it(`makes no connection to ${host}`, async () => {
      const outcome = await deliverTo(host, false);

      expect(outcome.error?.code).to.equal('address_not_allowed');
      expect(receiver.accepted()).to.equal(0);
    });
  }

  for (const host of [...waysToThisMachine, ...(hasIPv6 ? waysInIPv6 : [])]) {
    it(`allows a connection to ${host} if private addresses are allowed`, async () => {
      const outcome = await deliverTo(host, true);

      expect(outcome.outcome).to.equal('succeeded');
      expect(receiver.accepted()).to.equal(1);
    });
  }

  describe('of host names', () => {
    let nameServer: NameServer;

    before(async () => {
      nameServer = await startNameServer({
        'private.example.com': ['127.0.0.1', '10.0.0.1', '169.254.169.254'],
        'mixed.example.com': ['10.0.0.1', '8.8.8.8', '127.0.0.1', '1.1.1.1'],
        'empty.example.com': [],
        'silent.example.com': null,
      });
    });
    after(() => {
      nameServer.close();
    });

    const deliverToName = async (name: string, allowPrivateAddresses: boolean): Promise<AttemptOutcome> => {
      const resolver = createDnsResolver([nameServer.address]);
      const http = createHttpAttempt({ ...settings, allowPrivateAddresses }, { resolver });
      const url = `http://${name}:${receiver.port}/`;
      const outcome = await http.attempt({ url, eventId: 'evt_1', body, secrets: [] });
      http.close();
      return outcome;
    };

    it('makes no connection if all addresses are private', async () => {
      const outcome = await deliverToName('private.example.com', false);

      const error = {
        code: 'address_not_allowed',
        message: 'The host name of the webhook has no public address',
      };
      expect(outcome).to.deep.include({ outcome: 'failed', statusCode: null, error });
      expect(receiver.accepted()).to.equal(0);
    });

    it('allows a connection to the same name if private addresses are allowed', async () => {
      const outcome = await deliverToName('private.example.com', true);

      expect(outcome.outcome).to.equal('succeeded');
      expect(receiver.accepted()).to.equal(1);
    });

    for (const name of ['unknown.example.com', 'empty.example.com']) {
      it(`fails with dns_error if ${name} has no address`, async () => {
        expect((await deliverToName(name, false)).error?.code).to.equal('dns_error');
      });
    }

    it('ends with the attempt if the name server is silent', async () => {
      const resolver = createDnsResolver([nameServer.address]);
      const http = createHttpAttempt({ ...settings, timeoutMs: 200 }, { resolver });
      const outcome = await http.attempt({
        url: 'http://silent.example.com/',
        eventId: 'evt_1',
        body,
        secrets: [],
      });
      http.close();

      expect(outcome.error?.code).to.equal('timeout');
    });

    it('gives the agent only the public addresses of a name', async () => {
      const { resolve, close } = createDnsResolver([nameServer.address]);
      const found = await lookUp(guardedLookup(resolve), 'mixed.example.com');
      close();

      expect(found.map(({ address }) => address).sort()).to.deep.equal(['1.1.1.1', '8.8.8.8']);
    });

    it('checks the answer of the name server for every new connection', async () => {
      const answers = [['8.8.8.8'], ['127.0.0.1']];
      const lookup = guardedLookup(() => Promise.resolve(answers.shift() ?? []));

      expect(await lookUp(lookup, 'rebinding.example.com')).to.deep.equal([
        { address: '8.8.8.8', family: 4 },
      ]);
      const second = await lookUp(lookup, 'rebinding.example.com').catch((error: unknown) => error);
      expect(second).to.include({ code: 'ERR_ADDRESS_NOT_ALLOWED' });
    });
  });
});

function guardedLookup(resolve: NameResolver['resolve']) {
  return createGuardedLookup(createPermittedAddresses(resolve, false));
}

/** The options of Node if it may choose between IPv4 and IPv6. */
function lookUp(
  lookup: ReturnType<typeof createGuardedLookup>,
  hostName: string,
): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostName, { all: true }, (error, addresses) => {
      if (error === null && typeof addresses !== 'string') {
        resolve(addresses);
      } else {
        reject(error ?? new TypeError('one address, although all were requested'));
      }
    });
  });
}
