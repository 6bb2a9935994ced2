import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';

interface Answers {
  /** The name in the service `_mongodb._tcp` that resolves to the host. */
  readonly domain: string;
  readonly host: string;
  readonly port: number;
}

const types = { txt: 16, srv: 33 } as const;
const options = 'authSource=admin';
const headerBytes = 12;

/**
 * Starts a name server that names one host of a MongoDB cluster, as Atlas does, for this process. The host itself is
 * this machine.
 * @returns a function that stops it, and restores the former servers of the process
 */
export async function startDnsServer({ domain, host, port }: Answers): Promise<() => Promise<void>> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port: clientPort, address }) => {
    const { name, type, question } = parseQuestion(query);
    const data =
      type === types.srv && name === `_mongodb._tcp.${domain}`
        ? Buffer.concat([uint16(0), uint16(0), uint16(port), encodeName(host)])
        : type === types.txt && name === domain
          ? Buffer.concat([Buffer.from([options.length]), Buffer.from(options)])
          : null;
    socket.send(encodeAnswer(query, question, type, data), clientPort, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');

  // The driver uses `dns.promises`. `dns.setServers` misses them if `node:dns/promises` was imported before.
  const servers = dns.promises.getServers();
  const { lookup } = dns;
  dns.promises.setServers([`127.0.0.1:${socket.address().port}`]);
  // Node resolves addresses with the system, not with the servers of `setServers`.
  const lookUpHere = Object.assign(
    (name: string, ...rest: unknown[]) => {
      Reflect.apply(lookup, dns, [name === host ? '127.0.0.1' : name, ...rest]);
    },
    { __promisify__: lookup.__promisify__ },
  );
  Object.assign(dns, { lookup: lookUpHere });
  return async () => {
    Object.assign(dns, { lookup });
    dns.promises.setServers(servers);
    socket.close();
    await once(socket, 'close');
  };
}

function parseQuestion(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(headerBytes, end),
  };
}

/** Without data, the name does not exist. */
function encodeAnswer(query: Buffer, question: Buffer, type: number, data: Buffer | null): Buffer {
  const flags = data === null ? 0x8183 : 0x8180;
  const header = Buffer.concat([
    query.subarray(0, 2),
    ...[flags, 1, data === null ? 0 : 1, 0, 0].map(uint16),
  ]);
  if (data === null) {
    return Buffer.concat([header, question]);
  }
  const nameOfQuestion = uint16(0xc000 + headerBytes);
  const record = [nameOfQuestion, uint16(type), uint16(1), uint16(0), uint16(60), uint16(data.length), data];
  return Buffer.concat([header, question, ...record]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
