import { slowExchangeMs, type LatencyClass } from '../latency/attemptClasses.js';
import { createLinkedQueue, enqueue, removeFrom, type LinkedQueue } from './linkedQueue.js';

/** Moves exchanges that have become slow out of the slots of their class. */
export interface Lingering<Grant> {
  /**
   * Moves an exchange once it is slow, as soon as there is a place for it.
   * @returns ends that, when the exchange has ended
   */
  readonly watch: (grant: Grant) => () => void;
  /** Moves the exchanges of a class that are slow and still have a slot, while there are places for them. */
  readonly retry: (latencyClass: LatencyClass) => void;
}

export interface LingeringDependencies<Grant> {
  /** @returns whether the exchange was moved */
  readonly linger: (grant: Grant) => boolean;
  /** Called after exchanges have given their slots back. */
  readonly onMoved: (grant: Grant) => void;
}

export function createLingering<Grant extends { readonly latencyClass: LatencyClass }>({
  linger,
  onMoved,
}: LingeringDependencies<Grant>): Lingering<Grant> {
  const overdue: Readonly<Record<LatencyClass, LinkedQueue<Grant>>> = {
    fast: createLinkedQueue(),
    unknown: createLinkedQueue(),
    slow: createLinkedQueue(),
  };

  const retry = (latencyClass: LatencyClass) => {
    const queue = overdue[latencyClass];
    for (let node = queue.first; node !== null && linger(node.item); node = queue.first) {
      removeFrom(queue, node);
      onMoved(node.item);
    }
  };

  return {
    retry,
    watch: (grant) => {
      const queue = overdue[grant.latencyClass];
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
