/** An item of a queue with its neighbors. */
export interface QueueNode<Item> {
  readonly item: Item;
  before: QueueNode<Item> | null;
  after: QueueNode<Item> | null;
  isQueued: boolean;
}

/**
 * A first-in, first-out queue. The queue is plain data, because each webhook with waiting attempts has a queue. Every
 * operation of the queue takes constant time. A built-in Set is slower: the iterator that finds its first item visits
 * the deleted items before it.
 */
export interface LinkedQueue<Item> {
  first: QueueNode<Item> | null;
  last: QueueNode<Item> | null;
  size: number;
}

export function createLinkedQueue<Item>(): LinkedQueue<Item> {
  return { first: null, last: null, size: 0 };
}

export function enqueue<Item>(queue: LinkedQueue<Item>, item: Item): QueueNode<Item> {
  const node: QueueNode<Item> = { item, before: queue.last, after: null, isQueued: true };
  if (queue.last === null) {
    queue.first = node;
  } else {
    queue.last.after = node;
  }
  queue.last = node;
  queue.size += 1;
  return node;
}

/** Removes an item from any place in the queue. Has no effect if the item has left the queue. */
export function removeFrom<Item>(queue: LinkedQueue<Item>, node: QueueNode<Item>): void {
  if (!node.isQueued) {
    return;
  }
  if (node.before === null) {
    queue.first = node.after;
  } else {
    node.before.after = node.after;
  }
  if (node.after === null) {
    queue.last = node.before;
  } else {
    node.after.before = node.before;
  }
  node.isQueued = false;
  queue.size -= 1;
}
