import { expect } from 'chai';
import fc from 'fast-check';

import {
  createBucketQueue,
  firstIn,
  nextIn,
  putInto,
  takeOut,
  type BucketItem,
  type BucketQueue,
} from '../../../consumers/fairness/bucketQueue.js';
import type { LinkedQueue } from '../../../consumers/fairness/linkedQueue.js';
import { itHolds } from '../../support/itHolds.js';

interface Numbered extends BucketItem<Numbered> {
  readonly name: number;
}

function itemOf(name: number): Numbered {
  return { name, node: null, bucket: 0 };
}

/** The items of the queue in their order. */
function orderOf(queue: BucketQueue<Numbered>): readonly number[] {
  const order: number[] = [];
  for (let item = firstIn(queue); item !== null; item = nextIn(queue, item)) {
    order.push(item.name);
  }
  return order;
}

/** A list that is sorted after each operation. An item that changes its bucket is behind the other items of the bucket. */
function createSortedList() {
  let items: readonly { readonly name: number; readonly bucket: number }[] = [];
  return {
    put: (name: number, bucket: number) => {
      if (!items.some((item) => item.name === name && item.bucket === bucket)) {
        items = [...items.filter((item) => item.name !== name), { name, bucket }].toSorted(
          (one, other) => one.bucket - other.bucket,
        );
      }
    },
    remove: (name: number) => {
      items = items.filter((item) => item.name !== name);
    },
    order: () => items.map(({ name }) => name),
  };
}

const anyStep = fc.record({
  kind: fc.constantFrom('put' as const, 'put' as const, 'remove' as const),
  name: fc.nat(9),
  // The bounds of the words of the bitmap, and numbers between them.
  bucket: fc.oneof(fc.nat(4), fc.constantFrom(31, 32, 33, 63, 64), fc.nat(800)),
});

describe('a bucket queue', () => {
  itHolds(
    'has the order of a sorted list, after any sequence of operations',
    [fc.array(anyStep, { maxLength: 60, size: 'max' })],
    (steps) => {
      const queue = createBucketQueue<Numbered>();
      const sorted = createSortedList();
      const items = Array.from({ length: 10 }, (_, name) => itemOf(name));
      for (const { kind, name, bucket } of steps) {
        const item = items[name] ?? itemOf(name);
        if (kind === 'put') {
          putInto(queue, item, bucket);
          sorted.put(name, bucket);
        } else {
          takeOut(queue, item);
          sorted.remove(name);
        }

        expect(orderOf(queue)).to.deep.equal(sorted.order());
        expect(queue.size).to.equal(sorted.order().length);
      }
    },
  );

  it('takes as many steps with 100,000 items as with ten', () => {
    const stepsWith = (count: number) => {
      let steps = 0;
      /** Counts each access to the lists, to the bitmap and to the fields of a list. */
      const counted = <Part extends object>(part: Part): Part =>
        new Proxy(part, {
          get: (target, name) => {
            steps += 1;
            return Reflect.get(target, name) as unknown;
          },
          set: (target, name, value) => {
            steps += 1;
            return Reflect.set(target, name, value);
          },
        });
      const lists: (LinkedQueue<Numbered> | undefined)[] = Array.from({ length: 8 }, () =>
        counted({ first: null, last: null, size: 0 }),
      );
      const queue: BucketQueue<Numbered> = { size: 0, lists: counted(lists), words: counted<number[]>([]) };
      const items = Array.from({ length: count }, (_, name) => itemOf(name));
      items.forEach((item, index) => putInto(queue, item, index % 4));
      steps = 0;
      const [moved = itemOf(0)] = items.slice(count / 2);
      putInto(queue, moved, moved.bucket + 1);
      takeOut(queue, moved);
      putInto(queue, moved, 3);
      const first = firstIn(queue);
      return { steps, first: first?.bucket };
    };

    expect(stepsWith(100_000)).to.deep.equal(stepsWith(10));
  });
});
