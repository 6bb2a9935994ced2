import { createLinkedQueue, enqueue, removeFrom, type LinkedQueue, type QueueNode } from './linkedQueue.js';

/** An item of a bucket queue. The queue maintains both fields. */
export interface BucketItem<Item> {
  /** The item's place in a list of the queue; null outside the queue. */
  node: QueueNode<Item> | null;
  /** The number of the list that contains the item, or that has contained it last. */
  bucket: number;
}

/**
 * A queue of items with small numbers, such as slots in use. The item with the lowest number is first, and items with
 * equal numbers take turns. The queue has a list for each number, and a bitmap of the lists that are not empty. So each
 * operation takes constant time for any number of items. A heap takes longer with more items.
 *
 * ```
 *   bitmap 1 0 1 0 ──► list 0: A ◄─► D
 *                      list 2: B
 * ```
 * The queue is plain data, because each account and each tenant with waiting attempts has a queue.
 */
export interface BucketQueue<Item> {
  size: number;
  /** The lists by their number. A list is missing until it gets its first item. */
  readonly lists: (LinkedQueue<Item> | undefined)[];
  /** The bitmap of the lists that are not empty, with 32 lists in each word. */
  readonly words: number[];
}

const wordBits = 32;

export function createBucketQueue<Item>(): BucketQueue<Item> {
  return { size: 0, lists: [], words: [] };
}

/** Appends an item to the list of a number. An item that this list contains already keeps its turn. */
export function putInto<Item extends BucketItem<Item>>(
  queue: BucketQueue<Item>,
  item: Item,
  bucket: number,
): void {
  if (item.node !== null && item.bucket === bucket) {
    return;
  }
  takeOut(queue, item);
  const list = (queue.lists[bucket] ??= createLinkedQueue());
  item.node = enqueue(list, item);
  item.bucket = bucket;
  queue.size += 1;
  const word = wordOf(bucket);
  queue.words[word] = (queue.words[word] ?? 0) | bitOf(bucket);
}

/** Removes an item. Has no effect on an item outside the queue. */
export function takeOut<Item extends BucketItem<Item>>(queue: BucketQueue<Item>, item: Item): void {
  const { node, bucket } = item;
  const list = queue.lists[bucket];
  if (node === null || list === undefined) {
    return;
  }
  removeFrom(list, node);
  item.node = null;
  queue.size -= 1;
  if (list.size === 0) {
    const word = wordOf(bucket);
    queue.words[word] = (queue.words[word] ?? 0) & ~bitOf(bucket);
  }
}

/** The item that is next, or null in an empty queue. */
export function firstIn<Item>(queue: BucketQueue<Item>): Item | null {
  return firstFrom(queue, 0);
}

/** The item behind another item of the queue, or null behind the last one. */
export function nextIn<Item extends BucketItem<Item>>(queue: BucketQueue<Item>, item: Item): Item | null {
  return item.node?.after?.item ?? firstFrom(queue, item.bucket + 1);
}

function firstFrom<Item>({ lists, words }: BucketQueue<Item>, bucket: number): Item | null {
  let word = wordOf(bucket);
  let bits = (words[word] ?? 0) & -bitOf(bucket);
  while (bits === 0) {
    word += 1;
    if (word >= words.length) {
      return null;
    }
    bits = words[word] ?? 0;
  }
  const lowestBit = wordBits - 1 - Math.clz32(bits & -bits);
  return lists[word * wordBits + lowestBit]?.first?.item ?? null;
}

function wordOf(bucket: number): number {
  return bucket >>> 5;
}

function bitOf(bucket: number): number {
  return 1 << (bucket & (wordBits - 1));
}
