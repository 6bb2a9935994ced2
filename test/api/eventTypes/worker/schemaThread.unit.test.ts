import { expect } from 'chai';

import { createSchemaThread } from '../../../../api/eventTypes/worker/schemaThread.js';
import { createSchemaWorkers } from '../../../../api/eventTypes/worker/schemaWorkers.js';
import { createLogger } from '../../../../shared/core/logger.js';
import { UnavailableError } from '../../../../shared/core/errors.js';
import { decodeProgram } from '../../../../shared/jsonSchema/program/encoding.js';
import { createMetrics } from '../../../../shared/runtime/metrics.js';

const stallEntry = new URL('./stallingWorker.ts', import.meta.url);

function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

describe('worker threads for schemas', () => {
  it('compile a schema, check data with it, and keep the program for later checks', async () => {
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const workers = createSchemaWorkers({ metrics: createMetrics(), logger });
    try {
      const schema = Buffer.from('{"type":"object","properties":{"amount":{"minimum":3}}}');
      const compilation = await workers.compile('acct_1', schema);
      if (compilation.outcome === 'rejected') {
        throw new Error(compilation.message);
      }
      const program = { key: 'one', program: decodeProgram(compilation.program) };
      expect(await workers.check('quick', 'acct_1', program, Buffer.from('{"amount":3}'))).to.include({
        status: 'valid',
      });
      expect(
        await workers.check('long', 'acct_2', program, Buffer.from('{"amount":2.99999999999999999999}')),
      ).to.include({ status: 'invalid', place: 'data.amount', code: 'minimum' });
      expect(await workers.compile('acct_4', Buffer.from('{"type":"nothing"}'))).to.include({
        outcome: 'rejected',
        place: 'schema.type',
      });
    } finally {
      await workers.stop();
    }
  });

  it('validate a schema without its transfer, and check texts until the steps of a job are exhausted', async () => {
    const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
    const workers = createSchemaWorkers({ metrics: createMetrics(), logger });
    try {
      const schema = {
        key: 'put',
        schema: Buffer.from(
          '{"$defs":{"n":{"properties":{"n":{"anyOf":[{"$ref":"#/$defs/n","required":["no"]},{"$ref":"#/$defs/n"}]}}}},' +
            '"$ref":"#/$defs/n","required":["n"]}',
        ),
      };
      const statuses = async (account: string, data: readonly string[]) => {
        const results = await workers.checkSome(
          account,
          schema,
          data.map((text) => Buffer.from(text)),
        );
        return results.map(({ status }) => status);
      };
      // A worker that has not stored the program compiles the schema again.
      expect(await statuses('acct_1', ['{}', '{"n":1}'])).to.deep.equal(['invalid', 'valid']);
      const verdict = await workers.validate('acct_2', schema);
      expect(Object.keys(verdict)).to.have.members(['outcome', 'bytes']);
      const costly = '{"n":'.repeat(60) + '{}' + '}'.repeat(60);
      expect(await statuses('acct_3', ['{"n":1}', costly, '{"n":1}'])).to.deep.equal(['valid', 'exhausted']);
    } finally {
      await workers.stop();
    }
  });

  it('end a stalled job with a 503, and serve the next job without a restart of the process', async () => {
    const thread = createSchemaThread({ entry: stallEntry, watchdogMs: 500 });
    try {
      expect(await errorOf(thread.compile(Buffer.from('stall')))).to.be.instanceOf(UnavailableError);
      expect(await thread.compile(Buffer.from('answer'))).to.include({ kind: 'failure', message: 'answer' });
    } finally {
      await thread.stop();
    }
  });

  it('end a job that exceeds the memory with a 503, and serve the next job', async () => {
    const thread = createSchemaThread({ entry: stallEntry, heapMb: 16, watchdogMs: 20_000 });
    try {
      expect(await errorOf(thread.compile(Buffer.from('memory')))).to.be.instanceOf(UnavailableError);
      expect(await thread.compile(Buffer.from('answer'))).to.include({ kind: 'failure' });
    } finally {
      await thread.stop();
    }
  });

  it('receive only the bytes of a text, and not the whole request that contains it', async () => {
    const thread = createSchemaThread({ entry: stallEntry });
    try {
      const request = Buffer.from('bytes'.padEnd(4 * 1024 * 1024));
      expect(await thread.compile(request.subarray(0, 5))).to.include({ message: '5' });
      // The request keeps its memory.
      expect(request.subarray(0, 5).toString()).to.equal('bytes');
    } finally {
      await thread.stop();
    }
  });

  it('have an empty environment', async () => {
    const thread = createSchemaThread({ entry: stallEntry });
    try {
      expect(await thread.compile(Buffer.from('environment'))).to.deep.equal({
        kind: 'failure',
        message: '',
      });
    } finally {
      await thread.stop();
    }
  });
});
