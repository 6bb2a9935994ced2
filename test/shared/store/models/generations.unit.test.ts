import { expect } from 'chai';

import {
  awaitedGenerations,
  isReached,
  newGenerationName,
  readGeneration,
  versionOf,
  writtenGenerations,
  type AliasDocument,
} from '../../../../shared/store/models/generations.js';

const [first, second, older] = ['events.v2.aa', 'events.v2.bb', 'events.v1.cc'];
const counts = { documents: 1, successorDocuments: 1 };

const quiet: AliasDocument = { _id: 'events', live: first };
const building: AliasDocument = {
  ...quiet,
  building: { name: second, purpose: 'switch', state: 'building' },
};
const converting: AliasDocument = {
  ...quiet,
  building: { name: second, purpose: 'switch', state: 'converting', source: first },
};
const switching: AliasDocument = {
  ...quiet,
  building: { name: second, purpose: 'switch', state: 'switching' },
};
const switched: AliasDocument = {
  _id: 'events',
  live: second,
  previous: { name: first, written: true, ...counts },
};
const kept: AliasDocument = {
  _id: 'events',
  live: second,
  previous: { name: first, written: false, ...counts },
};
const upgraded: AliasDocument = {
  _id: 'events',
  live: first,
  previous: { name: older, written: true, ...counts },
};

describe('The generations of a model', () => {
  it('have unique names that contain their version', () => {
    const names = [newGenerationName('events', 12), newGenerationName('events', 12)];
    expect({ versions: names.map(versionOf), distinct: new Set(names).size }).to.deep.equal({
      versions: [12, 12],
      distinct: 2,
    });
  });

  const cases: readonly [string, AliasDocument, string | null, readonly string[], readonly string[]][] = [
    ['with one generation', quiet, first, [first], [first]],
    ['while another one is built', building, first, [first, second], [first]],
    ['while documents are converted', converting, first, [first], [first]],
    ['shortly before a switch', switching, first, [first, second], [first, second]],
    ['shortly after a switch', switched, second, [second, first], [second, first]],
    ['later', kept, second, [second], [second]],
    ['after one of another version', upgraded, first, [first], [first]],
  ];

  for (const [when, alias, read, written, awaited] of cases) {
    it(`are read, written and awaited as their alias lists them ${when}`, () => {
      expect([
        readGeneration(alias, 2),
        writtenGenerations(alias, 2),
        awaitedGenerations(alias, 2),
      ]).to.deep.equal([read, written, awaited]);
    });
  }

  it('let a process of the previous version read and write the previous generation', () => {
    expect([readGeneration(upgraded, 1), writtenGenerations(upgraded, 1)]).to.deep.equal([older, [older]]);
  });

  it('offer nothing to a process of a version without a generation', () => {
    expect([readGeneration(quiet, 1), writtenGenerations(building, 3)]).to.deep.equal([null, []]);
  });

  it('let no process read a generation that is no longer written', () => {
    const previous = { name: older, written: false, ...counts };
    expect(readGeneration({ ...upgraded, previous }, 1)).to.equal(null);
  });

  it('have reached a target once every partition has', () => {
    const target = { events: { 0: 2, 1: 0 }, deliveries: { 0: 1 } };
    expect([
      isReached({ events: { 0: 2 }, deliveries: { 0: 1 } }, target),
      isReached({ events: { 0: 1 }, deliveries: { 0: 1 } }, target),
      isReached({ events: { 0: 5 } }, target),
    ]).to.deep.equal([true, false, false]);
  });
});
