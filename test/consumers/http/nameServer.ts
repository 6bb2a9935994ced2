import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server on loopback that knows these names. It does not answer for a name with null. */
export interface NameServer {
  /** `address:port`. */
  readonly address: string;
  readonly close: () => void;
}

type Records = Readonly<Record<string, readonly string[] | null>>;

const headerBytes = 12;
const ipv4Record = 1;

/** The responses of RFC 1035 for A records. There are no AAAA records. */
export async function startNameServer(records: Records): Promise<NameServer> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = question(query);
    const found = records[name];
    if (found !== null) {
      const addresses = type === ipv4Record ? (found ?? []) : [];
      const header = Buffer.from(query.subarray(0, headerBytes));
      // A response without recursion; NXDOMAIN (3) if the name is unknown.
      header.writeUInt16BE(0x8180 | (found === undefined ? 3 : 0), 2);
      header.writeUInt16BE(addresses.length, 6);
      header.writeUInt16BE(0, 10);
      socket.send(
        Buffer.concat([header, query.subarray(headerBytes, end), ...addresses.map(answer)]),
        port,
        address,
      );
    }
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    close: () => {
      socket.close();
    },
  };
}

function question(query: Buffer): { readonly name: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let offset = headerBytes;
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString('ascii', offset + 1, offset + 1 + length));
    offset += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(offset + 1), end: offset + 5 };
}

/** The name of the question, type A, class IN, no time to live, four bytes. */
function answer(address: string): Buffer {
  return Buffer.from([
    0xc0,
    headerBytes,
    0,
    ipv4Record,
    0,
    1,
    0,
    0,
    0,
    0,
    0,
    4,
    ...address.split('.').map(Number),
  ]);
}
