import { expect } from 'chai';
import fc from 'fast-check';

import {
  createBoundedMap,
  createBoundedSet,
  type BoundedMap,
} from '../../../shared/concurrency/boundedMap.js';
import { itHolds } from '../../support/itHolds.js';

/** The same map by its definition: the newest insertions, in an array. */
function naiveMap(capacity: number): BoundedMap<number, number> {
  let places: { key: number; value: number; isPresent: boolean }[] = [];
  const find = (key: number) => places.find((place) => place.isPresent && place.key === key);
  return {
    get size() {
      return places.filter(({ isPresent }) => isPresent).length;
    },
    get: (key) => find(key)?.value,
    has: (key) => find(key) !== undefined,
    set: (key, value) => {
      const known = find(key);
      if (known !== undefined) {
        known.value = value;
        return;
      }
      places = [...places, { key, value, isPresent: true }].slice(-capacity);
    },
    delete: (key) => {
      const known = find(key);
      if (known !== undefined) {
        known.isPresent = false;
      }
      return known !== undefined;
    },
  };
}

const keys = fc.integer({ min: 0, max: 12 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key: keys, value: fc.integer() }),
    fc.record({ kind: fc.constant('delete' as const), key: keys }),
  ),
  { maxLength: 200 },
);

describe('a bounded map', () => {
  itHolds(
    'contains the newest insertions, in any sequence of changes',
    [fc.integer({ min: 1, max: 8 }), steps],
    (capacity, sequence) => {
      const map = createBoundedMap<number, number>(capacity);
      const naive = naiveMap(capacity);
      for (const step of sequence) {
        if (step.kind === 'set') {
          map.set(step.key, step.value);
          naive.set(step.key, step.value);
        } else {
          expect(map.delete(step.key)).to.equal(naive.delete(step.key));
        }
        expect(map.size).to.equal(naive.size);
        for (let key = 0; key <= 12; key += 1) {
          expect(map.get(key)).to.equal(naive.get(key));
          expect(map.has(key)).to.equal(naive.has(key));
        }
      }
    },
  );

  it('evicts the oldest of 100,000 keys', () => {
    const set = createBoundedSet<number>(100_000);
    for (let key = 0; key < 700_000; key += 1) {
      set.add(key);
    }

    expect(set.size).to.equal(100_000);
    expect(set.has(599_999)).to.equal(false);
    expect(set.has(600_000)).to.equal(true);
  });
});

describe('a bounded set', () => {
  it('does not make a key newer if it is added again', () => {
    const set = createBoundedSet<string>(2);
    ['a', 'b', 'a', 'c'].forEach(set.add);

    expect(['a', 'b', 'c'].filter(set.has)).to.deep.equal(['b', 'c']);
  });

  it('does not contain a deleted key', () => {
    const set = createBoundedSet<string>(2);
    set.add('a');

    expect(set.delete('a')).to.equal(true);
    expect(set.has('a')).to.equal(false);
    expect(set.delete('a')).to.equal(false);
  });
});
