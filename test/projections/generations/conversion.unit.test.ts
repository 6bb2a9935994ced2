import { expect } from 'chai';

import {
  conversionFrom,
  createConversion,
  isConvertible,
} from '../../../projections/generations/conversion.js';
import { eventsProjection } from '../../../projections/models/events.js';
import type { Leases } from '../../../shared/store/coordination/leases.js';
import type { GenerationConversion } from '../../../shared/store/generations/generationConversion.js';
import { topicDefinitions } from '../../../shared/log/topics/names.js';
import type { EventDocument } from '../../../shared/store/models/documents.js';
import { modelDefinitions, modelNames } from '../../../shared/store/models/modelDefinitions.js';

type Page = Awaited<ReturnType<GenerationConversion['convertPage']>>;

const generations = { source: 'events.v3.aa', target: 'events.v4.bb' };
const free: Leases['holdIfFree'] = async (_name, work) => {
  await work();
  return true;
};

describe('The conversion of a generation', () => {
  let converted: number;
  beforeEach(() => {
    converted = 0;
  });

  /** A process that finds these pages, the last one repeatedly. */
  const process = (pages: readonly Page[], { holdIfFree = free, sliceMs = 60_000 } = {}) =>
    createConversion({
      projection: eventsProjection,
      pages: {
        convertPage: () => {
          converted += 1;
          return Promise.resolve(pages[converted - 1] ?? 'converted');
        },
      },
      leases: { holdIfFree },
      sliceMs,
    });

  it('converts page after page up to the last one', async () => {
    const outcome = await process(['converted', 'converted', 'ended'])(generations);
    expect([outcome, converted]).to.deep.equal(['ended', 3]);
  });

  it('continues later if its time slice ends', async () => {
    const outcome = await process([], { sliceMs: 0 })(generations);
    expect([outcome, converted]).to.deep.equal(['continues', 1]);
  });

  it('does nothing while another process converts', async () => {
    const outcome = await process(['ended'], { holdIfFree: () => Promise.resolve(false) })(generations);
    expect([outcome, converted]).to.deep.equal(['continues', 0]);
  });

  it('gives up if a generation was emptied', async () => {
    expect(await process(['emptied'])(generations)).to.equal('given up');
  });

  it('gives up if this program has no conversion', async () => {
    const outcome = await process(['ended'])({ ...generations, source: 'events.v1.aa' });
    expect([outcome, converted]).to.deep.equal(['given up', 0]);
  });
});

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
