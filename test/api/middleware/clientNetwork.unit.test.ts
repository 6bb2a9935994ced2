import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import { expect } from 'chai';

import { networkOf, networkOfRequest } from '../../../api/middleware/clientNetwork.js';

describe('the network of a client', () => {
  const networks: readonly [address: string, network: string | null][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:5678', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[::ffff:192.0.2.1]:5678', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:5678', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['[fe80::1%eth0]:80', 'fe80::/64'],
    ['', null],
    ['unknown', null],
    ['_hidden', null],
    ['1', null],
    ['192.0.2', null],
    ['0300.0.2.1', null],
    ['192.0.2.256', null],
    ['192.0.2.1:', null],
    ['192.0.2.1:x', null],
    ['[192.0.2.1', null],
    ['[]:80', null],
    ['2001:db8::1::2', null],
    ['192.0.2.1, 192.0.2.2', null],
    ['example.com:80', null],
  ];
  for (const [address, network] of networks) {
    it(`is ${String(network)} for the address "${address}"`, () => {
      expect(networkOf(address)).to.equal(network);
    });
  }

  it('is that of the connection if the forwarded address is invalid', () => {
    const socket = new Socket();
    Object.defineProperty(socket, 'remoteAddress', { value: '198.51.100.7' });
    expect(networkOfRequest({ ip: 'made up', req: new IncomingMessage(socket) })).to.equal('198.51.100.7');
  });

  it('is unknown if the connection has no address', () => {
    expect(networkOfRequest({ ip: '', req: new IncomingMessage(new Socket()) })).to.equal('unknown');
  });
});
