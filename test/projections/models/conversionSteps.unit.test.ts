import { expect } from 'chai';

import { isConvertible, conversionFrom } from '../../../projections/models/conversionSteps.js';
import { eventsProjection } from '../../../projections/models/events.js';
import { topicDefinitions } from '../../../shared/log/topics/names.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { modelDefinitions, modelNames } from '../../../shared/store/models/modelDefinitions.js';

describe('The conversions between model versions', () => {
  const settings = { prefix: '', partitions: 1, replication: 1, eventRetentionMs: 1 };
  /** The topics whose records the log deletes after a while. */
  const lostTopics = topicDefinitions(settings)
    .filter(({ configuration }) => configuration['retention.ms'] === '1')
    .map(({ topic }) => topic);

  it('exist for the topics that lose records', () => {
    expect(lostTopics).to.deep.equal(['events', 'deliveries']);
  });

  for (const model of modelNames) {
    const { version, topics } = modelDefinitions[model];
    if (version > 1 && topics.some((topic) => lostTopics.includes(topic))) {
      it(`convert ${model} from the version before, because its topics lose records`, () => {
        expect(isConvertible(model, version - 1)).to.equal(true);
      });
    }

    it(`convert ${model} neither from its own version nor from a later one`, () => {
      expect([isConvertible(model, version), isConvertible(model, version + 1)]).to.deep.equal([
        false,
        false,
      ]);
    });
  }

  it('skip no version without a conversion', () => {
    expect(conversionFrom(eventsProjection, 1)).to.equal(null);
  });

  it('convert from version to version', () => {
    const marked = (mark: string) => (document: EventDocument) => [
      { ...document, type: `${document.type ?? ''}${mark}` },
    ];
    const marks = ['a', 'b', 'c', 'd', 'e', 'f'];
    const conversions = Object.fromEntries(marks.map((mark, index) => [index + 1, marked(mark)]));
    const convert = conversionFrom<EventDocument>({ name: 'events', conversions }, 1);
    expect(
      convert?.({ _id: 'evt_1', home: 0, deliveries: [], positions: {} }, {}).map(({ type }) => type),
    ).to.deep.equal(['abcdef']);
  });
});
