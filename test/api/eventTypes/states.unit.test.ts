import { expect } from 'chai';
import fc from 'fast-check';
import { Binary } from 'mongodb';

import { createEventChecks } from '../../../api/eventTypes/eventCheck.js';
import { createPrograms } from '../../../api/eventTypes/programs.js';
import { createTypeCatalog, type CheckedType } from '../../../api/eventTypes/typeCatalog.js';
import { createLogger } from '../../../shared/core/logger.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import { compileSchema } from '../../../shared/jsonSchema/compiler/compileSchema.js';
import { createMetrics } from '../../../shared/runtime/metrics.js';
import type { LiveEventTypeDocument } from '../../../shared/store/models/documents.js';
import { itHolds } from '../../support/itHolds.js';

const logger = createLogger({ role: 'test', level: 'silent', isTerminal: false });
const metrics = createMetrics();
const owner = { accountId: 'acct_1', mode: 'live' } as const;

function documentOf(
  name: string,
  revision: number,
  accountId: string = owner.accountId,
): LiveEventTypeDocument {
  // Each revision accepts only events with its own number.
  const schema = Buffer.from(JSON.stringify({ properties: { revision: { const: revision } } }));
  return {
    ...{ _id: `${accountId}/live/${name}`, accountId, mode: 'live', name, status: 'active' },
    ...{ description: null, validation: 'reject', deprecated: false, checked: true },
    ...{ created: new Date(0), updated: new Date(0), revision: String(revision) },
    ...{ positions: {}, recordIds: [], partition: 0, offset: revision },
    ...{ schema: new Binary(schema), examples: new Binary(Buffer.from('[]')), bytes: schema.length },
  };
}

function typeOf(document: LiveEventTypeDocument, validation: CheckedType['validation']): CheckedType {
  const { _id: id, accountId, name, revision } = document;
  return { id, accountId, name, revision, validation };
}

/** Programs of one account, whose compilations end as a test says. */
function createTestPrograms(validation: CheckedType['validation']) {
  let revision = 1;
  let time = 0;
  let outcome: 'compiled' | 'unavailable' | 'rejected' | 'stalled' = 'compiled';
  const { programs, checks } = programsWith({
    now: () => time,
    document: () => documentOf('a', revision),
    compile: (schema) => {
      switch (outcome) {
        case 'compiled':
          return Promise.resolve(compileSchema(schema));
        case 'rejected':
          return Promise.resolve({ outcome: 'rejected', place: 'schema', message: 'too new' } as const);
        case 'unavailable':
          return Promise.reject(new UnavailableError('a worker thread has ended'));
        case 'stalled':
          return new Promise(() => undefined);
      }
    },
    find: () => typeOf(documentOf('a', revision), validation),
  });
  return {
    programs,
    /** Checks an event of a revision: its status, or `503`. */
    check: async (ofRevision: number): Promise<string> => {
      const check = await checks.find(owner, 'a');
      const data = Buffer.from(JSON.stringify({ revision: ofRevision }));
      try {
        return (await check?.check(data, JSON.parse(data.toString())))?.status ?? 'unchecked';
      } catch (error) {
        return error instanceof UnavailableError ? '503' : String(error);
      }
    },
    revise: () => (revision += 1),
    revision: () => revision,
    setOutcome: (next: typeof outcome) => (outcome = next),
    wait: (ms: number) => (time += ms),
  };
}

type Compile = Parameters<typeof createPrograms>[0]['workers']['compile'];
type Check = Parameters<typeof createEventChecks>[0]['workers']['check'];

interface Parts {
  readonly now: () => number;
  readonly document: (id: string) => LiveEventTypeDocument;
  readonly compile: (schema: Buffer, isOutsideShare: boolean) => ReturnType<Compile>;
  readonly find: (name: string) => CheckedType;
  /** The check in a worker; by default there is no worker. */
  readonly check?: Check;
}

const noWorker: Check = () => Promise.reject(new UnavailableError('no worker'));

function programsWith({ now, document, compile, find, check = noWorker }: Parts) {
  const programs = createPrograms({
    ...{ logger, now, limits: { bytes: 4000, bytesOfAccount: 2500 } },
    model: {
      findByIds: (_accountId, [id = '']) =>
        Promise.resolve({
          documents: [document(id)],
          meta: { _id: 'meta', version: 1, complete: true, positions: {}, target: {} },
        }),
    },
    workers: {
      compile: (_accountId, schema, options) => compile(schema, options?.isOutsideShare === true),
    },
  });
  const workers = { check };
  const maximumWaitMs = { warn: 20, reject: 20 };
  const catalog = { find: (_owner: unknown, name: string) => find(name) };
  return { programs, checks: createEventChecks({ catalog, programs, workers, metrics, now, maximumWaitMs }) };
}

/** The number of checks on the main thread so far. */
async function checksOnMainThread(): Promise<number> {
  const { values } = await metrics.eventValidationSeconds.get();
  const counts = values.filter(
    ({ metricName, labels }) => metricName?.endsWith('_count') === true && labels.thread === 'main',
  );
  return counts.reduce((sum, { value }) => sum + value, 0);
}

describe('the states of an event type in an API process', () => {
  const steps = fc.array(
    fc.oneof(
      fc.constant({ kind: 'revise' } as const),
      fc.constant({ kind: 'wait' } as const),
      fc.record({
        kind: fc.constant('compilations' as const),
        outcome: fc.constantFrom('compiled', 'unavailable', 'rejected'),
      }),
      fc.record({ kind: fc.constant('event' as const), isOfRevision: fc.boolean() }),
    ),
    { maxLength: 30 },
  );

  itHolds(
    'never let an event pass that the present revision rejects or has not checked',
    [steps],
    async (all) => {
      const types = createTestPrograms('reject');
      for (const step of all) {
        switch (step.kind) {
          case 'revise':
            types.revise();
            break;
          case 'wait':
            types.wait(60_000);
            break;
          case 'compilations':
            types.setOutcome(step.outcome);
            break;
          case 'event': {
            const result = await types.check(step.isOfRevision ? types.revision() : types.revision() - 1);
            expect(result).to.be.oneOf([step.isOfRevision ? 'valid' : 'invalid', '503']);
          }
        }
      }
      // The type recovers without a restart.
      types.setOutcome('compiled');
      types.wait(60_000);
      expect(await types.check(types.revision())).to.equal('valid');
    },
    { numRuns: 200 },
  );

  it('answer 503 with `reject`, and record an unknown result with `warn`, while a schema cannot be compiled', async () => {
    for (const [validation, result] of [['reject', '503'] as const, ['warn', 'unknown'] as const]) {
      for (const outcome of ['unavailable', 'rejected', 'stalled'] as const) {
        const types = createTestPrograms(validation);
        types.setOutcome(outcome);
        expect(await types.check(1), `${validation} ${outcome}`).to.equal(result);
        expect(types.programs.countFailed(() => true)).to.equal(outcome === 'stalled' ? 0 : 1);
      }
    }
  });

  it('load each program once outside the share of the account, and later within the share', async () => {
    const outside: boolean[] = [];
    const document = (id: string) => documentOf(id.split('/')[2] ?? '', 1);
    const { programs } = programsWith({
      ...{ now: () => 0, document, find: () => typeOf(documentOf('a', 1), 'reject') },
      compile: (schema, isOutsideShare) => {
        outside.push(isOutsideShare);
        return Promise.resolve(compileSchema(schema));
      },
    });
    const types = Array.from({ length: 50 }, (_, index) => typeOf(documentOf(`n${index}`, 1), 'reject'));
    for (const type of [...types, ...types.slice(0, 1)]) {
      await programs.get(type);
    }
    expect(outside).to.deep.equal([...types.map(() => true), false]);
  });

  it('try data that is always too costly ever less often on the main thread and in the quick worker', async () => {
    let second = 0;
    const triedInWorker: number[] = [];
    const { checks } = programsWith({
      now: () => second * 1000,
      document: () => ({
        ...documentOf('a', 1),
        schema: new Binary(Buffer.from('{"properties":{"text":{"pattern":"^(a+)+$"}}}')),
      }),
      compile: (schema) => Promise.resolve(compileSchema(schema)),
      find: () => typeOf(documentOf('a', 1), 'reject'),
      check: (worker) => {
        if (worker === 'quick') {
          triedInWorker.push(second);
        }
        return Promise.resolve({ status: 'exhausted' });
      },
    });
    const costly = { text: `${'a'.repeat(20_000)}b` };
    const data = Buffer.from(JSON.stringify(costly));
    const tried: number[] = [];
    for (; second < 300; second += 1) {
      const before = await checksOnMainThread();
      const check = await checks.find(owner, 'a');
      expect((await check?.check(data, costly))?.status).to.equal('unknown');
      if ((await checksOnMainThread()) > before) {
        tried.push(second);
      }
    }
    expect(tried).to.deep.equal([0, 1, 2, 3, 4, 6, 10, 18, 34, 66, 126, 186, 246]);
    expect(triedInWorker).to.deep.equal(tried);
  });

  it('evict only programs of the account with the most', async () => {
    let compilations = 0;
    const document = (id: string) => documentOf(id.split('/')[2] ?? '', 1, id.split('/')[0]);
    const { programs } = programsWith({
      ...{ now: () => 0, document, find: () => typeOf(documentOf('a', 1), 'reject') },
      compile: (schema) => {
        compilations += 1;
        return Promise.resolve(compileSchema(schema));
      },
    });
    const neighbor = typeOf(documentOf('a', 1, 'acct_2'), 'reject');
    await programs.get(neighbor);
    for (let index = 0; index < 50; index += 1) {
      await programs.get(typeOf(documentOf(`n${String(index)}`, 1), 'reject'));
    }
    expect(programs.get(neighbor)).not.to.be.instanceOf(Promise);
    expect(programs.get(typeOf(documentOf('n49', 1), 'reject'))).not.to.be.instanceOf(Promise);
    await programs.get(typeOf(documentOf('n0', 1), 'reject'));
    expect(compilations).to.equal(52);
  });
});

describe('the event types in memory', () => {
  const meta = (offset: number, begunAt = new Date(0)) => ({
    ...{ _id: 'meta' as const, version: 1, complete: true, target: {}, begunAt },
    positions: { 'event-types': { '0': offset } },
  });

  it('are read once, then by their changes, and completely in another generation', async () => {
    let current = meta(1);
    const filters: unknown[] = [];
    let started = 0;
    const catalog = createTypeCatalog(
      {
        meta: () => Promise.resolve(current),
        findAll: (filter) => {
          filters.push(filter);
          return Promise.resolve({
            documents: [documentOf('a', current.positions['event-types']['0'])],
            meta: current,
          });
        },
      },
      () => (started += 1),
    );
    try {
      const revisions: (string | undefined)[] = [];
      for (const next of [meta(1), meta(2), meta(2), meta(2, new Date(1))]) {
        current = next;
        // Without a timer, the types become too old.
        await new Promise((resolve) => setTimeout(resolve, 300));
        revisions.push((await catalog.find(owner, 'a'))?.revision);
      }
      expect(revisions).to.deep.equal(['1', '2', '2', '2']);
      expect(filters).to.deep.equal([
        { checked: true },
        { $or: [{ partition: 0, offset: { $gte: 1 } }] },
        { checked: true },
      ]);
      expect(started).to.be.greaterThan(0);
      expect(catalog.find(owner, 'b')).to.equal(null);
    } finally {
      catalog.stop();
    }
  });

  it('answer 503 while MongoDB is unavailable, and recover', async () => {
    let isAvailable = false;
    const read = <Result>(result: Result) =>
      isAvailable ? Promise.resolve(result) : Promise.reject(new UnavailableError('MongoDB is unavailable'));
    const catalog = createTypeCatalog(
      { meta: () => read(meta(0)), findAll: () => read({ documents: [documentOf('a', 1)], meta: meta(0) }) },
      () => undefined,
    );
    try {
      const failure = await Promise.resolve(catalog.find(owner, 'a')).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(UnavailableError);
      isAvailable = true;
      expect(await catalog.find(owner, 'a')).to.include({ revision: '1' });
    } finally {
      catalog.stop();
    }
  });
});
