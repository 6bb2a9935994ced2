import { foldDocuments, recordReference } from '../../projections/fold/foldDocuments.js';
import { accountsProjection } from '../../projections/models/accounts.js';
import { eventsProjection } from '../../projections/models/events.js';
import type { Projection } from '../../projections/models/projection.js';
import { webhooksProjection } from '../../projections/models/webhooks.js';
import { UnavailableError } from '../../shared/core/errors.js';
import type { TopicName } from '../../shared/log/topics/names.js';
import {
  countersIdOf,
  type CountersDocument,
  type DerivedDocument,
  type ModelDocument,
  type WebhookDocument,
} from '../../shared/store/models/documents.js';
import { metaId, type MetaDocument, type ModelPositions } from '../../shared/store/models/generations.js';
import { modelDefinitions, type ModelName } from '../../shared/store/models/modelDefinitions.js';
import { hasReached, type ModelProgress } from '../../shared/store/models/modelProgress.js';
import type { ReadModel, ReadModels } from '../../shared/store/models/readModels.js';
import type { DerivedQuery } from '../../shared/store/models/readQueries.js';
import { matches } from './matches.js';
import type { SeededRandom } from './random.js';
import type { SimulatedLog } from './simulatedLog.js';
import type { Steps, StepSource } from './steps.js';

export interface ModelsDependencies {
  readonly log: SimulatedLog;
  readonly steps: Steps;
  readonly random: SeededRandom | null;
  /** Whether MongoDB answers with errors. */
  readonly isFailing: () => boolean;
  /** Called for each webhook that the model `webhooks` has folded. */
  readonly onWebhook: (webhook: WebhookDocument) => void;
}

export interface SimulatedModels {
  readonly models: ReadModels;
  readonly progress: Readonly<Record<ModelName, ModelProgress>>;
  /** Folds all records of the log at once. */
  readonly catchUp: () => void;
}

/** The read models that delivery uses, folded from the simulated log by the projections of the service. */
export function createSimulatedModels(dependencies: ModelsDependencies): SimulatedModels {
  const events = createModel(eventsProjection, dependencies, () => undefined);
  const webhooks = createModel(webhooksProjection, dependencies, dependencies.onWebhook);
  const accounts = createModel(accountsProjection, dependencies, () => undefined);
  const never: ModelProgress = { reached: () => Promise.reject(new Error('this model is not simulated')) };
  return {
    models: {
      ...{ events: events.model, webhooks: webhooks.model, accounts: accounts.model },
      ...{ accountKeys: notSimulated(), attempts: notSimulated(), audit: notSimulated() },
      ...{ stats: notSimulated(), replays: notSimulated(), eventTypes: notSimulated() },
      ...{ tenants: notSimulated(), tenantApiKeys: notSimulated() },
    },
    progress: {
      ...{ events: events.progress, webhooks: webhooks.progress, accounts: accounts.progress },
      ...{ accountKeys: never, attempts: never, audit: never, stats: never, replays: never },
      ...{ eventTypes: never, tenants: never },
    },
    catchUp: () => [events, webhooks, accounts].forEach((model) => model.catchUp()),
  };
}

/** The maximum number of records of a partition that are folded in one step. */
const largestBatch = 3;

function createModel<Model extends ModelDocument>(
  projection: Projection<Model>,
  { log, steps, random, isFailing }: ModelsDependencies,
  onFold: (document: Model) => void,
) {
  const { topics, version } = modelDefinitions[projection.name];
  const documents = new Map<string, Model>();
  let positions: ModelPositions = {};
  let waits: readonly Wait[] = [];

  const meta = (): MetaDocument => ({ _id: metaId, version, complete: true, positions, target: {} });

  const positionOf = (topic: TopicName, partition: number) => positions[topic]?.[partition] ?? 0;

  const fold = (topic: TopicName, partition: number, count: number) => {
    const next = positionOf(topic, partition);
    const records = log.read(topic, partition, next, count).map((record) => {
      const decoded = projection.read(record);
      if (!decoded.readable) {
        throw new Error(`the simulated log has a record that cannot be read: ${decoded.reason}`);
      }
      return { record: recordReference(record), folds: decoded.content };
    });
    for (const { after } of foldDocuments(documents, records)) {
      documents.set(after._id, after);
      onFold(after);
    }
    positions = { ...positions, [topic]: { ...positions[topic], [partition]: next + records.length } };
  };

  const forEachUnfolded = (act: (topic: TopicName, partition: number) => void) => {
    for (const topic of topics) {
      for (let partition = 0; partition < log.partitions; partition += 1) {
        if (positionOf(topic, partition) < log.end(topic, partition)) {
          act(topic, partition);
        }
      }
    }
  };

  /** A read returns the model at the time of the request, or at the time of the response. */
  const read = <Answer>(take: () => Answer) =>
    new Promise<Answer>((resolve, reject) => {
      const early = take();
      const run = () => {
        if (isFailing()) {
          reject(new UnavailableError('the simulated MongoDB fails'));
        } else {
          resolve(random?.below(2) === 0 ? early : take());
        }
      };
      steps.add({ kind: 'read', owner: steps.acting(), run });
    });

  const answer = (found: readonly Model[]) => ({ documents: found, meta: meta() });
  const withIds = (ids: readonly string[]) => answer(ids.flatMap((id) => documents.get(id) ?? []));

  const offerWaits: StepSource = (possible) => {
    for (const wait of waits) {
      const isReached = !isFailing() && hasReached(meta(), wait.topic, wait.offsets);
      if (isReached || wait.isLate()) {
        const run = () => {
          waits = waits.filter((other) => other !== wait);
          wait.cancelTimer();
          wait.resolve(isReached);
        };
        possible.push({ kind: 'read', owner: wait.owner, run });
      }
    }
  };

  const reached: ModelProgress['reached'] = (topic, offsets, timeoutMs) =>
    new Promise((resolve) => {
      const deadline = steps.now() + timeoutMs;
      const cancelTimer = steps.after(timeoutMs, () => undefined);
      const isLate = () => steps.now() >= deadline;
      waits = [...waits, { topic, offsets, resolve, cancelTimer, isLate, owner: steps.acting() }];
    });

  steps.offer(offerWaits);
  steps.offer((possible) => {
    forEachUnfolded((topic, partition) => {
      const count = () => 1 + (random?.below(largestBatch) ?? largestBatch - 1);
      possible.push({ kind: 'fold', owner: null, run: () => fold(topic, partition, count()) });
    });
  });

  return {
    model: {
      ...notSimulated<Model>(),
      findByIds: (_accountId: string, ids: readonly string[]) => read(() => withIds(ids)),
      findInAllAccounts: (ids: readonly string[]) => read(() => withIds(ids)),
      findAll: (filter: Readonly<Record<string, unknown>>) =>
        read(() => answer([...documents.values()].filter((document) => matches(document, filter)))),
      findDerived: ({ filter, sort, limit }: DerivedQuery) =>
        read(() => {
          const found = derivedFrom([...documents.values()], projection).filter((one) =>
            matches(one, filter),
          );
          return 'entry.offset' in sort ? found.sort(byOffset).slice(0, limit) : found.slice(0, limit);
        }),
      meta: () => read(meta),
      recentMeta: () => read(meta),
      awaited: () => read(() => [meta()]),
    },
    progress: { reached },
    catchUp: () => forEachUnfolded((topic, partition) => fold(topic, partition, Infinity)),
  };
}

/** The entries and the counters of documents. */
function derivedFrom<Model extends ModelDocument>(
  documents: readonly Model[],
  { entriesOf = () => [] }: Pick<Projection<Model>, 'entriesOf'>,
): DerivedDocument[] {
  const entries = documents.flatMap((document) => [...entriesOf(document)]);
  const parked = new Map<string, CountersDocument>();
  for (const { entry } of entries.filter(({ entry: { backlog } }) => backlog !== undefined)) {
    const id = countersIdOf(entry.accountId, entry.webhookId, entry.home);
    const before = parked.get(id)?.counters.parked ?? 0;
    const counters = { webhookId: entry.webhookId, parked: before + 1 };
    parked.set(id, { _id: id, positions: {}, counters });
  }
  return [...entries, ...parked.values()];
}

function byOffset(one: DerivedDocument, other: DerivedDocument): number {
  return 'entry' in one && 'entry' in other ? one.entry.offset - other.entry.offset : 0;
}

interface Wait {
  readonly owner: string | null;
  readonly topic: TopicName;
  readonly offsets: Parameters<ModelProgress['reached']>[1];
  readonly resolve: (isReached: boolean) => void;
  readonly isLate: () => boolean;
  readonly cancelTimer: () => void;
}

function notSimulated<Model extends ModelDocument>(): ReadModel<Model> {
  const refuse = () => Promise.reject(new Error('the simulated MongoDB does not answer this query: add it'));
  return {
    ...{
      findByIds: refuse,
      findInAllAccounts: refuse,
      findAll: refuse,
      findPage: refuse,
      findPacked: refuse,
      findListPage: refuse,
      findDerived: refuse,
      count: refuse,
      countPage: refuse,
    },
    ...{ findDistinct: refuse, findValues: refuse, meta: refuse, recentMeta: refuse, awaited: refuse },
  };
}
