/** One fault. `startsAfterMs` counts from the beginning of its round. */
export type Fault = { readonly startsAfterMs: number } & (
  | { readonly kind: 'kill'; readonly process: number }
  | { readonly kind: 'pause'; readonly process: number; readonly forMs: number }
  | { readonly kind: 'broker'; readonly broker: number; readonly forMs: number }
  | { readonly kind: 'mongodb'; readonly forMs: number }
);

/** One fault, or two that overlap, and the time to recover from them. */
export interface FaultRound {
  readonly faults: readonly Fault[];
  readonly recoveryMs: number;
}

const kinds = ['kill', 'pause', 'broker', 'mongodb'] as const;
export const deliveryProcesses = 3;
export const brokers = 3;
const pauseMs = 40_000;
const overlapShare = 0.25;
/** The time that a killed process or broker needs to recover, as part of the length of the plan. */
const restartMs = 6000;

/**
 * Draws faults for about this time. Each kind occurs once before any of them is repeated. The faults of one round differ in their kind,
 * so at most one of three brokers is down at any time.
 */
export function planFaults(random: () => number, lengthMs: number): readonly FaultRound[] {
  const below = (limit: number) => Math.floor(random() * limit);
  const between = (least: number, most: number) => least + below(most - least);
  let bag: Fault['kind'][] = [];
  const nextKind = (other?: Fault['kind']): Fault['kind'] => {
    bag = bag.length === 0 ? [...kinds] : bag;
    const candidates = bag.filter((kind) => kind !== other);
    const kind = candidates[below(candidates.length)];
    if (kind === undefined) {
      bag = [];
      return nextKind(other);
    }
    bag = bag.filter((one) => one !== kind);
    return kind;
  };
  const draw = (kind: Fault['kind'], startsAfterMs: number): Fault => {
    switch (kind) {
      case 'kill':
        return { kind, startsAfterMs, process: below(deliveryProcesses) };
      case 'pause':
        return { kind, startsAfterMs, process: below(deliveryProcesses), forMs: pauseMs };
      case 'broker':
        return { kind, startsAfterMs, broker: 1 + below(brokers), forMs: between(5000, 15_000) };
      case 'mongodb':
        return { kind, startsAfterMs, forMs: between(5000, 20_000) };
      default: {
        const never: never = kind;
        return never;
      }
    }
  };

  const rounds: FaultRound[] = [];
  for (let lasted = 0; lasted < lengthMs;) {
    const first = draw(nextKind(), 0);
    const faults =
      random() < overlapShare ? [first, draw(nextKind(first.kind), between(0, lengthOf(first)))] : [first];
    const round = { faults, recoveryMs: between(4000, 12_000) };
    rounds.push(round);
    lasted += Math.max(...faults.map((fault) => fault.startsAfterMs + lengthOf(fault))) + round.recoveryMs;
  }
  return rounds;
}

function lengthOf(fault: Fault): number {
  switch (fault.kind) {
    case 'kill':
      return restartMs;
    case 'broker':
      return fault.forMs + restartMs;
    case 'pause':
    case 'mongodb':
      return fault.forMs;
    default: {
      const never: never = fault;
      return never;
    }
  }
}

/** The fault as a line of the report. */
export function describeFault(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return `kill -9 of delivery process ${fault.process + 1}`;
    case 'pause':
      return `SIGSTOP of delivery process ${fault.process + 1} for ${seconds(fault.forMs)}`;
    case 'broker':
      return `loss of broker ${fault.broker} for ${seconds(fault.forMs)}`;
    case 'mongodb':
      return `SIGSTOP of MongoDB for ${seconds(fault.forMs)}`;
    default: {
      const never: never = fault;
      return never;
    }
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(0)} s`;
}
