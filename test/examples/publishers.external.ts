import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect } from 'chai';
import { z } from 'zod';

import { eventBatchSchema } from '../../api/resources/postedEvents/postRoutes.js';
import { eventSchema } from '../../api/resources/events/routes.js';
import { openLogReader, type LogReader } from '../api/support/records.js';
import { startService, type TestService } from '../support/service.js';

/** The publishers that use the CloudEvents SDKs of other languages. `.ci/verify` has installed them. */
const publishers = {
  'examples/publishers/go': ['node_modules/.cache/publishers/go', []],
  'examples/publishers/python': [
    'node_modules/.cache/publishers/python/bin/python',
    ['examples/publishers/python/publisher.py'],
  ],
} as const;

const answer = <Body extends z.ZodType>(mode: string, status: number, body: Body) =>
  z.object({ mode: z.literal(mode), status: z.literal(status), body });

const answersSchema = z.tuple([
  answer('structured', 201, eventSchema),
  answer('binary', 201, eventSchema),
  answer('batch', 200, eventBatchSchema),
]);

describe('publishers with the CloudEvents SDKs of other languages', () => {
  let service: TestService;
  let log: LogReader;
  let apiKey: string;
  before(async () => {
    service = await startService();
    apiKey = (await service.createAccount()).liveKey;
    log = await openLogReader(service, ['events']);
  });

  for (const [name, [program, programArguments]] of Object.entries(publishers)) {
    describe(name, () => {
      let answers: z.output<typeof answersSchema>;
      before(async () => {
        const env = { ...process.env, POSTRIDER_URL: service.address, POSTRIDER_API_KEY: apiKey };
        const { stdout } = await promisify(execFile)(program, [...programArguments], { env });
        const lines = stdout.trim().split('\n');
        answers = answersSchema.parse(lines.map((line) => JSON.parse(line) as unknown));
      });

      const idsInBatch = () =>
        answers[2].body.data.map((result) => result.event?.id ?? String(result.error?.code));

      it('posts an event in each content mode, which is recorded once', () => {
        const [structured, binary] = answers;
        const [first, second] = idsInBatch();
        expect([binary.body.id, first, second === first, second?.slice(0, 4)]).to.deep.equal([
          structured.body.id,
          structured.body.id,
          false,
          'evt_',
        ]);
      });

      it('posts the type and the data of each event', () => {
        const { type, data } = answers[0].body;
        expect([type, data]).to.deep.equal(['order.completed', { amount: 42, currency: '€' }]);
      });

      it('posts the attributes and extensions of each event', async () => {
        const records = await Promise.all(idsInBatch().map((id) => log.recordsOf('events', id)));
        for (const [record, ...others] of records) {
          expect(others).to.deep.equal([]);
          expect(record?.posted).to.include({ source: '/shops/berlin', subject: 'Euro €', channel: 'web' });
          expect(Date.parse(record?.posted['time'] ?? '')).to.be.closeTo(Date.now(), 60_000);
        }
      });
    });
  }
});
