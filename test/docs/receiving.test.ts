import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';

import { samples } from '../../dashboard/integration/samples.js';
import { createClient } from '../support/client.js';
import { startReceiver } from '../support/receiver.js';
import { sharedService } from '../support/service.js';
import { codeBelow } from './receivingPage.js';

const run = promisify(execFile);

interface Language {
  /** The heading of its function in the page. */
  readonly heading: string;
  readonly file: string;
  readonly command: readonly string[];
  /**
   * Calls the code in the page for each five arguments: secret, id, timestamp, signatures and the body in Base64. It prints a line for
   * each.
   */
  readonly question: string;
}

const nodeQuestion = `
for (let at = 2; at < process.argv.length; at += 5) {
  const [secret = '', id = '', timestamp = '', signature = '', body = ''] = process.argv.slice(at, at + 5);
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  console.log(isGenuine(secret, headers, Buffer.from(body, 'base64')));
}`;

/** The sample of the pages for receivers without TypeScript. */
const nodeOfPages: Language = {
  heading: '',
  file: 'deliveries.mjs',
  command: ['node'],
  question: nodeQuestion,
};

const languages: Readonly<Record<string, Language>> = {
  TypeScript: {
    heading: 'TypeScript',
    file: 'deliveries.mts',
    command: ['node', '--import', import.meta.resolve('tsx')],
    question: nodeQuestion,
  },
  Python: {
    heading: 'Python',
    file: 'deliveries.py',
    command: ['python3'],
    question: `
import sys
for at in range(1, len(sys.argv), 5):
    secret, *values, body = sys.argv[at : at + 5]
    headers = dict(zip(["webhook-id", "webhook-timestamp", "webhook-signature"], values))
    print(str(is_genuine(secret, headers, base64.b64decode(body))).lower())`,
  },
  'Node.js in the pages': nodeOfPages,
  Go: {
    heading: 'Go',
    file: 'deliveries.go',
    command: ['go', 'run', 'main.go'],
    question: '',
  },
  Java: {
    heading: 'Java',
    file: 'Deliveries.java',
    command: ['java'],
    question: '',
  },
};

const goMain = `package main

import ("encoding/base64"; "fmt"; "os")

func main() {
	for given := os.Args[1:]; len(given) > 0; given = given[5:] {
		body, _ := base64.StdEncoding.DecodeString(given[4])
		headers := map[string]string{"webhook-id": given[1], "webhook-timestamp": given[2], "webhook-signature": given[3]}
		fmt.Println(isGenuine(given[0], func(name string) string { return headers[name] }, body))
	}
}
`;

const javaMain = `
  public static void main(String[] given) throws GeneralSecurityException {
    for (int at = 0; at < given.length; at += 5) {
      Map<String, String> headers =
          Map.of("webhook-id", given[at + 1], "webhook-timestamp", given[at + 2], "webhook-signature", given[at + 3]);
      System.out.println(isGenuine(given[at], headers, Base64.getDecoder().decode(given[at + 4])));
    }
  }
}
`;

function sampleOf(name: string): string {
  return samples.find((sample) => sample.name === name)?.text ?? '';
}

interface Delivery {
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: Buffer;
}

describe('the verification code in docs/receiving.md', () => {
  let folder: string;
  let delivery: Delivery;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-receiving-'));
    await writeFile(join(folder, 'main.go'), goMain);
    delivery = await receiveDelivery();
  });

  after(() => rm(folder, { recursive: true }));

  const programOf = async (language: Language): Promise<string> => {
    const { heading, question } = language;
    const code = language === nodeOfPages ? sampleOf('Node.js') : await codeBelow(heading);
    return heading === 'Java' ? code.trimEnd().slice(0, -1) + javaMain : code + question;
  };

  /** The answers of a program, which runs once for all deliveries, because some languages start slowly. */
  const answersTo = async (language: Language, deliveries: readonly Delivery[]) => {
    const file = join(folder, language.file);
    await writeFile(file, await programOf(language));
    const [program = '', ...rest] = language.command;
    const given = deliveries.flatMap(({ secret, id, timestamp, signature, body }) => [
      ...[secret, id, timestamp, signature, body.toString('base64')],
    ]);
    const { stdout } = await run(program, [...rest, language.file, ...given], { cwd: folder });
    return stdout.trim().split(/\s+/);
  };

  for (const heading of ['TypeScript', 'Python', 'Go', 'Java']) {
    it(`is also the sample of the pages: ${heading}`, async () => {
      expect(sampleOf(heading)).to.equal(await codeBelow(heading));
    });
  }

  for (const [name, language] of Object.entries(languages)) {
    it(`accepts a delivery, also with another signature, and neither another body nor an old one: ${name}`, async () => {
      const seconds = Number(delivery.timestamp) - 301;
      const at = new Date(seconds * 1000);
      const signature = new Webhook(delivery.secret).sign(delivery.id, at, delivery.body.toString());
      const answers = await answersTo(language, [
        delivery,
        { ...delivery, signature: `v1,AAAA ${delivery.signature}` },
        { ...delivery, body: Buffer.concat([delivery.body, Buffer.from(' ')]) },
        { ...delivery, signature, timestamp: String(seconds) },
      ]);
      expect(answers).to.deep.equal(['true', 'true', 'false', 'false']);
    });
  }
});

async function receiveDelivery(): Promise<Delivery> {
  const service = await sharedService();
  const account = await service.createAccount();
  const client = createClient(service.address, account.liveKey);
  const receiver = await startReceiver();
  try {
    const webhook = await client.post('/v1/webhooks', { url: receiver.url, events: ['*'] });
    await client.post('/v1/events', { type: 'order.completed', data: { note: 'é' } });
    const [request] = await receiver.received(1);
    const header = (name: string) => String(request?.headers[name]);
    return {
      secret: String(webhook.body['secret']),
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      body: request?.body ?? Buffer.alloc(0),
    };
  } finally {
    await receiver.close();
  }
}
