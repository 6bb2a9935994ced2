import { expect } from 'chai';
import fc from 'fast-check';

import { accountsProjection } from '../../projections/models/accounts.js';
import { attemptsProjection } from '../../projections/models/attempts.js';
import { auditProjection } from '../../projections/models/audit.js';
import { eventTypesProjection } from '../../projections/models/eventTypes.js';
import { eventsProjection } from '../../projections/models/events.js';
import { replaysProjection } from '../../projections/models/replays.js';
import { statsProjection } from '../../projections/models/stats.js';
import { tenantsProjection } from '../../projections/models/tenants.js';
import { webhooksProjection } from '../../projections/models/webhooks.js';
import type { OutgoingRecord, RawRecord } from '../../shared/log/encoding/record.js';
import type { ModelDocument } from '../../shared/store/models/documents.js';
import { modelDefinitions } from '../../shared/store/models/modelDefinitions.js';
import { rawRecord } from '../support/records.js';
import {
  appended,
  batchedFetches,
  batchesOf,
  foldAll,
  rewoundFetches,
  without,
  type Partitions,
} from './foldedLog.js';
import {
  accountHistories,
  anyRepeats,
  auditHistories,
  outcomeHistories,
  eventHistories,
  eventTypeHistories,
  tenantHistories,
  webhookHistories,
  withRepeats,
} from './histories.js';

interface TestedProjection {
  readonly histories: fc.Arbitrary<readonly OutgoingRecord[]>;
  readonly fold: (batches: readonly (readonly RawRecord[])[]) => ReadonlyMap<string, ModelDocument>;
}

const projections: Record<string, TestedProjection> = {
  events: { histories: eventHistories, fold: (batches) => foldAll(eventsProjection, batches) },
  webhooks: { histories: webhookHistories, fold: (batches) => foldAll(webhooksProjection, batches) },
  accounts: { histories: accountHistories, fold: (batches) => foldAll(accountsProjection, batches) },
  eventTypes: {
    histories: eventTypeHistories,
    fold: (batches) => foldAll(eventTypesProjection, batches),
  },
  tenants: { histories: tenantHistories, fold: (batches) => foldAll(tenantsProjection, batches) },
  audit: { histories: auditHistories, fold: (batches) => foldAll(auditProjection, batches) },
  attempts: { histories: outcomeHistories, fold: (batches) => foldAll(attemptsProjection, batches) },
};

/** Partition after partition, each as one batch. */
function inOneGo(partitions: Partitions) {
  return batchesOf(partitions, []);
}

/** The part of the model that readers see. */
function shown(documents: ReadonlyMap<string, ModelDocument>): Map<string, ModelDocument> {
  return new Map(
    [...documents].map(([id, document]) => [
      id,
      without(document, ['positions', 'recordIds', 'source', 'partition', 'offset']),
    ]),
  );
}

for (const [name, { histories, fold }] of Object.entries(projections)) {
  describe(`the model ${name}`, () => {
    it('is the same however its partitions are interleaved, wherever batches end, and if records are read again', () => {
      fc.assert(
        fc.property(histories.map(appended), rewoundFetches, (partitions, plan) => {
          expect(fold(batchesOf(partitions, plan))).to.deep.equal(fold(inOneGo(partitions)));
        }),
      );
    });

    it('shows the same documents if records were appended twice', () => {
      fc.assert(
        fc.property(histories, anyRepeats, batchedFetches, (records, repeats, plan) => {
          const once = fold(inOneGo(appended(records)));
          const twice = fold(batchesOf(appended(withRepeats(records, repeats)), plan));

          expect(shown(twice)).to.deep.equal(shown(once));
        }),
      );
    });
  });
}

describe('a record that cannot be read', () => {
  const models = [
    ...[accountsProjection, attemptsProjection, auditProjection, eventTypesProjection, eventsProjection],
    ...[replaysProjection, statsProjection, tenantsProjection, webhooksProjection],
  ];

  it('is rejected by each model that folds its topic, with the reason', () => {
    for (const { name, read } of models) {
      for (const topic of modelDefinitions[name].topics) {
        const decoded = read(rawRecord({ topic, key: 'a', value: Buffer.from('{}'), headers: {} }));
        expect(decoded.readable ? '' : decoded.reason, `${topic} in ${name}`).to.match(/^\S.+\S$/);
      }
    }
  });
});
