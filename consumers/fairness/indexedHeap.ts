/** An item of a heap. Call `putInto` after the order of an item in the heap has changed. */
export interface HeapItem {
  /** The item's index in the heap, which the heap maintains. An item that is in no heap has the index `outside`. */
  place: number;
}

export const outside = -1;

/**
 * A binary heap that knows the index of each item, so that any item can be moved or removed in logarithmic time. The
 * heap is plain data, because each account with waiting attempts has a heap.
 */
export interface IndexedHeap<Item> {
  readonly items: Item[];
  readonly isBefore: (one: Item, other: Item) => boolean;
}

/** Inserts an item, or moves an item whose order has changed. */
export function putInto<Item extends HeapItem>(heap: IndexedHeap<Item>, item: Item): void {
  if (item.place === outside) {
    place(heap, item, heap.items.length);
  }
  rise(heap, item);
  sink(heap, item);
}

export function removeFromHeap<Item extends HeapItem>(heap: IndexedHeap<Item>, item: Item): void {
  const index = item.place;
  const last = index === outside ? undefined : heap.items.pop();
  item.place = outside;
  if (last !== undefined && last !== item) {
    place(heap, last, index);
    rise(heap, last);
    sink(heap, last);
  }
}

function place<Item extends HeapItem>({ items }: IndexedHeap<Item>, item: Item, index: number): void {
  items[index] = item;
  item.place = index;
}

function rise<Item extends HeapItem>(heap: IndexedHeap<Item>, item: Item): void {
  for (let index = item.place; index > 0; index = item.place) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap.items[parentIndex];
    if (parent === undefined || !heap.isBefore(item, parent)) {
      return;
    }
    place(heap, parent, index);
    place(heap, item, parentIndex);
  }
}

function sink<Item extends HeapItem>(heap: IndexedHeap<Item>, item: Item): void {
  for (;;) {
    const index = item.place;
    const child = firstChild(heap, index);
    if (child === undefined || !heap.isBefore(child, item)) {
      return;
    }
    const childIndex = child.place;
    place(heap, child, index);
    place(heap, item, childIndex);
  }
}

function firstChild<Item>({ items, isBefore }: IndexedHeap<Item>, index: number): Item | undefined {
  const left = items[2 * index + 1];
  const right = items[2 * index + 2];
  return right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
}
