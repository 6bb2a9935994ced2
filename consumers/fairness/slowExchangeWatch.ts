import { slowExchangeMs, type LatencyClass } from '../latency/attemptClasses.js';
import { createLinkedQueue, enqueue, removeFrom, type LinkedQueue } from './linkedQueue.js';

/**
 * A watch that moves exchanges which have become slow from the slots of their class to the places for slow exchanges.
 */
export interface SlowExchangeWatch<Grant> {
  /**
   * Moves an exchange when it becomes slow and a place is free.
   * @returns a function that ends the watch, to be called when the exchange has ended
   */
  readonly watch: (grant: Grant) => () => void;
  /** Moves slow exchanges of a class that still have a slot, while places for slow exchanges are free. */
  readonly retry: (latencyClass: LatencyClass) => void;
}

export interface SlowExchangeWatchDependencies<Grant> {
  /** @returns whether the exchange was moved */
  readonly moveToSlow: (grant: Grant) => boolean;
  /** Called for each exchange that has left its slot. */
  readonly onMoved: (grant: Grant) => void;
}

export function createSlowExchangeWatch<Grant extends { readonly latencyClass: LatencyClass }>({
  moveToSlow,
  onMoved,
}: SlowExchangeWatchDependencies<Grant>): SlowExchangeWatch<Grant> {
  const slowInSlots: Readonly<Record<LatencyClass, LinkedQueue<Grant>>> = {
    fast: createLinkedQueue(),
    unknown: createLinkedQueue(),
    slow: createLinkedQueue(),
  };

  const retry = (latencyClass: LatencyClass) => {
    const queue = slowInSlots[latencyClass];
    for (let node = queue.first; node !== null && moveToSlow(node.item); node = queue.first) {
      removeFrom(queue, node);
      onMoved(node.item);
    }
  };

  return {
    retry,
    watch: (grant) => {
      const queue = slowInSlots[grant.latencyClass];
      let leave = () => clearTimeout(timer);
      const timer = setTimeout(() => {
        const node = enqueue(queue, grant);
        leave = () => removeFrom(queue, node);
        retry(grant.latencyClass);
      }, slowExchangeMs).unref();
      return () => leave();
    },
  };
}
