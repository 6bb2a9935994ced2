import { expect } from 'chai';

import { replaysProjection } from '../../../projections/models/replays.js';
import type { ReplayFact } from '../../../shared/domain/replays/replay.js';
import type { RawRecord } from '../../../shared/log/encoding/record.js';
import { replayRecords } from '../../../shared/log/records/replays.js';
import { testIdentifier, testRecordId, type InContext } from '../../support/facts.js';
import { rawRecord } from '../../support/records.js';
import {
  replayCanceled,
  replayCompleted,
  replayProgressed,
  replayRequested,
  testReplayId,
} from '../../support/replayFacts.js';
import { foldedDocument } from '../foldedLog.js';

function recordOf(fact: InContext<ReplayFact>, offset: number): RawRecord {
  const outgoing = replayRecords.encode(fact, { ...fact.context, id: testRecordId(offset) });
  return rawRecord(outgoing, { partition: 1, offset });
}

function documentAfter(...facts: readonly InContext<ReplayFact>[]) {
  return foldedDocument(
    replaysProjection,
    facts.map((fact, offset) => recordOf(fact, offset)),
  );
}

describe('replaysProjection', () => {
  it('creates a document of a replay', () => {
    expect(documentAfter(replayRequested())).to.deep.include({
      _id: testReplayId,
      accountId: testIdentifier('acct'),
      mode: 'live',
      status: 'running',
      matched: null,
      positions: { 'replays/1': 0 },
    });
  });

  it('follows its progress and its end', () => {
    const document = documentAfter(replayRequested(), replayProgressed(3, 1), replayCompleted(2));

    expect(document).to.deep.include({ status: 'completed', matched: 2, positions: { 'replays/1': 2 } });
  });

  it('advances its position over facts that change nothing', () => {
    const document = documentAfter(replayRequested(), replayCanceled(), replayCompleted(2));

    expect(document).to.deep.include({ status: 'canceled', positions: { 'replays/1': 2 } });
  });

  it('ignores a replay that was never requested', () => {
    expect(documentAfter(replayProgressed(3, 1))).to.equal(undefined);
  });
});
