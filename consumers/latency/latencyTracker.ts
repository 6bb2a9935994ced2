import { slowExchangeMs, type LatencyClass } from './attemptClasses.js';
import {
  exchangeBegan,
  exchangeEnded,
  exchangeWithdrawn,
  hangs,
  exchangeBecameSlow,
  latencyClassOf,
  meanExchangeMs,
  unknownLatency,
  type LatencyEstimate,
} from './latencyEstimate.js';
import { createProcessTime, longestProcessMs, type Moment, type ProcessClocks } from './processClocks.js';

/** The latency of each webhook, as this process has measured it. */
export interface LatencyTracker {
  /**
   * Runs an exchange, and records how long its webhook took.
   * @param isAnswer whether a result shows that the webhook has answered within the time limit; each does by default
   */
  readonly timed: <Result>(
    webhookId: string,
    exchange: () => Promise<Result>,
    isAnswer?: (result: Result) => boolean,
  ) => Promise<Result>;
  readonly meanExchangeMs: (webhookId: string) => number;
  /** Whether the webhook is known to answer quickly: its exchanges were quick, and the latest one too. */
  readonly answers: (webhookId: string) => boolean;
  /**
   * Whether the webhook hangs: no exchange has ended for much longer than its exchanges take, or the latest ones have
   * ended without an answer.
   */
  readonly hangs: (webhookId: string) => boolean;
  /** @param provenWithinMs a webhook without a quick exchange in this time is not known to be fast */
  readonly latencyClassOf: (webhookId: string, provenWithinMs: number) => LatencyClass;
  /** Resolves when an exchange of the webhook has ended or has become slow, but after two seconds at the latest. */
  readonly untilKnown: (webhookId: string) => Promise<void>;
  /** Adds a listener that is called for each exchange that proves to be quick or slow. */
  readonly onJudged: (listener: (webhookId: string) => void) => void;
}

interface Latency {
  times: LatencyEstimate;
  /** When the last exchange of the webhook began or ended. */
  changed: Moment;
  /**
   * When the last exchange of the webhook ended, or the first one in flight began. Further exchanges that begin do not
   * change this time: a webhook that hangs may get one slot after the other.
   */
  quietSince: Moment;
  /** When the last quick exchange of the webhook ended. */
  quickAt: number;
  /** The callbacks of callers that wait until an exchange was judged. */
  readonly awaiting: (() => void)[];
}

/**
 * How long a generation of latencies is the present one. A latency without an exchange is evicted after one to two
 * generations, because an old latency says little about the present.
 */
const generationMs = 10 * 60_000;
/** The most latencies of a generation. Two full generations take 35 MB, however many webhooks exist. */
const defaultGenerationSize = 50_000;

/**
 * The latency of each webhook, by which webhooks are judged. The time of an exchange excludes the time for which this
 * process was busy. A process that is busy or has just started may take a second to read an answer that came at once. Deferrals because of a busy
 * process would cost that process even more CPU time.
 */
export function createLatencyTracker(
  clocks: ProcessClocks,
  generationSize = defaultGenerationSize,
): LatencyTracker {
  const { now } = clocks;
  const { moment, sinceMs } = createProcessTime(clocks);
  /** The latencies that were used in this generation, and those of the generation before. */
  let recent = new Map<string, Latency>();
  let older = new Map<string, Latency>();
  let generationEndsAt = now() + generationMs;
  const listeners: ((webhookId: string) => void)[] = [];

  const find = (webhookId: string): Latency | undefined => recent.get(webhookId) ?? older.get(webhookId);

  const create = (): Latency => {
    const begin = moment();
    return { times: unknownLatency, changed: begin, quietSince: begin, quickAt: begin.at, awaiting: [] };
  };

  const latencyOf = (webhookId: string): Latency => {
    const latency = find(webhookId) ?? create();
    if (recent.size >= generationSize || now() >= generationEndsAt) {
      older = recent;
      recent = new Map();
      generationEndsAt = now() + generationMs;
    }
    recent.set(webhookId, latency);
    return latency;
  };

  const publish = (webhookId: string, latency: Latency) => {
    latency.awaiting.splice(0).forEach((resume) => resume());
    listeners.forEach((listener) => listener(webhookId));
  };

  /** @returns a function that ends the watch, and returns whether the exchange was judged as slow */
  const watch = (webhookId: string, latency: Latency, begin: Moment) => {
    let isSlow = false;
    const judge = () => {
      const remainingMs = slowExchangeMs - sinceMs(begin);
      if (remainingMs > 0) {
        timer = setTimeout(judge, Math.ceil(remainingMs)).unref();
        return;
      }
      isSlow = true;
      latency.times = exchangeBecameSlow(latency.times);
      publish(webhookId, latency);
    };
    let timer = setTimeout(judge, slowExchangeMs).unref();
    return () => {
      clearTimeout(timer);
      return isSlow;
    };
  };

  return {
    timed: async (webhookId, exchange, isAnswer = () => true) => {
      const latency = latencyOf(webhookId);
      const begin = moment();
      latency.quietSince = latency.times.inFlight === 0 ? begin : latency.quietSince;
      latency.times = exchangeBegan(latency.times);
      latency.changed = begin;
      const endWatch = watch(webhookId, latency, begin);
      const change = (times: LatencyEstimate) => {
        latency.changed = moment();
        latency.quietSince = latency.changed;
        latency.times = times;
      };
      try {
        const result = await exchange();
        const wasJudged = endWatch();
        change(exchangeEnded(latency.times, sinceMs(begin), wasJudged, isAnswer(result)));
        latency.quickAt = wasJudged || latency.times.isLatestSlow ? latency.quickAt : now();
        return result;
      } catch (error) {
        // An exchange without a result says nothing about its webhook: the egress proxy was at fault.
        endWatch();
        change(exchangeWithdrawn(latency.times));
        throw error;
      } finally {
        publish(webhookId, latency);
      }
    },
    meanExchangeMs: (webhookId) => {
      const latency = find(webhookId);
      return latency === undefined
        ? meanExchangeMs(unknownLatency, 0)
        : meanExchangeMs(latency.times, sinceMs(latency.changed));
    },
    answers: (webhookId) => {
      const latency = find(webhookId);
      return latency !== undefined && latencyClassOf(latency.times) === 'fast';
    },
    hangs: (webhookId) => {
      const latency = find(webhookId);
      return latency !== undefined && hangs(latency.times, sinceMs(latency.quietSince));
    },
    latencyClassOf: (webhookId, provenWithinMs) => {
      const latency = find(webhookId);
      const latencyClass = latency === undefined ? 'unknown' : latencyClassOf(latency.times);
      const isProven = latency !== undefined && now() - latency.quickAt <= provenWithinMs;
      return latencyClass === 'fast' && !isProven ? 'unknown' : latencyClass;
    },
    untilKnown: async (webhookId) => {
      const { times, changed, awaiting } = latencyOf(webhookId);
      const remainingMs = longestProcessMs - sinceMs(changed);
      if (times.judged === 0 && remainingMs > 0) {
        await new Promise<void>((resolve) => {
          awaiting.push(resolve);
          setTimeout(resolve, remainingMs).unref();
        });
      }
    },
    onJudged: (listener) => {
      listeners.push(listener);
    },
  };
}
