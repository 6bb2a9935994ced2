import { expect } from 'chai';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';

import {
  hasHostName,
  isPublicAddress,
  literalAddressError,
} from '../../../../shared/domain/webhooks/address.js';

const notPublic: Record<string, readonly string[]> = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: [
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    'fc00::1',
    'fd12:3456::1',
  ],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
  metadata: [
    '169.254.169.254',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ],
  'shared by a carrier': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  'broadcast and reserved': [
    '255.255.255.255',
    '240.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
  ],
  'reserved in IPv6': [
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '2001:10::1',
    '2001:20::1',
    '5f00::1',
    '200::1',
    '4000::1',
  ],
  'IPv4-mapped': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:0.0.0.0',
  ],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::10.0.0.1', '::a9fe:a9fe'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::169.254.169.254'],
  'NAT64 of an operator': ['64:ff9b:1::127.0.0.1', '64:ff9b:1:7f00:0:100::', '64:ff9b:1::8.8.8.8'],
  '6to4': ['2002:7f00:1::', '2002:7f00:1::1', '2002:a00:1::', '2002:a9fe:a9fe::', '2002:c0a8:101::1'],
  'Teredo, by its client': ['2001:0:808:808::80ff:fffe', '2001:0:808:808::f5ff:fffe'],
  'Teredo, by its server': ['2001:0:7f00:1::f7f7:f7f7', '2001:0:a00:1::f7f7:f7f7'],
  'no address at all': [
    '',
    'localhost',
    'example.com',
    '1.2.3',
    '1.2.3.4.5',
    '256.0.0.1',
    '1.2.3.4/8',
    '[::1]',
  ],
};

const publicAddresses = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '192.167.255.255',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
  '64:ff9b::8.8.8.8',
  '2002:808:808::1',
  '2001:0:808:808::f7f7:f7f7',
];

describe('isPublicAddress', () => {
  it('is false for an address of any special range, and for no address', () => {
    for (const [kind, addresses] of Object.entries(notPublic)) {
      expect(addresses.filter(isPublicAddress), kind).to.deep.equal([]);
    }
  });

  it('is true for other addresses', () => {
    expect(publicAddresses.filter((address) => !isPublicAddress(address))).to.deep.equal([]);
  });

  it('returns the same for an IPv4 address in any IPv6 notation', () => {
    const wrapped = (address: string): string[] => {
      const octets = ipaddr.IPv4.parse(address).octets;
      const parts = octets.map((octet) => octet.toString(16).padStart(2, '0'));
      const inverted = octets.map((octet) => (octet ^ 0xff).toString(16).padStart(2, '0'));
      const [words, invertedWords] = [parts, inverted].map(
        ([a = '', b = '', c = '', d = '']) => `${a}${b}:${c}${d}`,
      );
      return [
        `::ffff:${words}`,
        `::${words}`,
        `64:ff9b::${words}`,
        `2002:${words}::1`,
        `2001:0:808:808::${invertedWords}`,
      ];
    };
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const wrapping of wrapped(address)) {
          expect(isPublicAddress(wrapping), wrapping).to.equal(isPublicAddress(address));
        }
      }),
    );
  });
});

describe('hasHostName', () => {
  it('rejects names with marks that are no part of a name', () => {
    const accepts = (host: string) => hasHostName(new URL(`https://${host}:8443/a?b`));
    const hosts = ['example.com', 'a_b.example.com.', 'xn--bcher-kva.example', '127.0.0.1', '[::1]'];
    const marks = ["'", ';', '{', '`', '"', '!', '$', '*', '(', ','];
    expect(hosts.filter((host) => !accepts(host))).to.deep.equal([]);
    expect(marks.filter((mark) => accepts(`127.0.0.1${mark}.example.com`))).to.deep.equal([]);
  });
});

describe('literalAddressError', () => {
  const refused: Record<string, string> = {
    'http://127.0.0.1/': '127.0.0.1',
    'http://127.0.0.1./': '127.0.0.1',
    'http://127.1/': '127.0.0.1',
    'http://2130706433/': '127.0.0.1',
    'http://0x7f000001/': '127.0.0.1',
    'http://017700000001/': '127.0.0.1',
    'http://0x7f.0.0x0.1/': '127.0.0.1',
    'http://①②⑦.⓪.⓪.①/': '127.0.0.1',
    'http://127。0。0。1/': '127.0.0.1',
    'http://%31%32%37.0.0.1/': '127.0.0.1',
    'http://0/': '0.0.0.0',
    'http://[::1]/': '::1',
    'http://[::]/': '::',
    'http://[::ffff:127.0.0.1]/': '::ffff:7f00:1',
    'http://[::127.0.0.1]/': '::7f00:1',
    'http://[64:ff9b::127.0.0.1]/': '64:ff9b::7f00:1',
    'https://169.254.169.254/latest/meta-data': '169.254.169.254',
  };
  it('rejects an address that is not public, however it is written', () => {
    for (const [url, address] of Object.entries(refused)) {
      expect(literalAddressError(new URL(url)), url).to.equal(`${address} is not a public address`);
    }
  });

  it('rejects the names of this machine', () => {
    for (const host of ['localhost', 'LocalHost', 'localhost.', 'a.localhost', 'a.localhost.']) {
      expect(literalAddressError(new URL(`http://${host}/`)), host).to.match(
        /localhost is this machine, not a public address$/,
      );
    }
  });

  it('leaves other hosts to their resolution', () => {
    for (const host of [
      ...['8.8.8.8', '[2606:4700:4700::1111]', 'example.com', 'example.com.'],
      ...['localhost.example.com', '1.example.com'],
    ]) {
      expect(literalAddressError(new URL(`https://${host}/`)), host).to.equal(null);
    }
  });
});
