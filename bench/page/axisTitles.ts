import type { Unit } from '../results/result.js';

/** What an axis shows, with its unit. */
export const axisTitles: Readonly<Record<Unit, string>> = {
  '/s': 'rate (per second)',
  µs: 'time (µs)',
  ms: 'time (ms)',
  s: 'time (s)',
  MB: 'memory (MB)',
  B: 'size (bytes)',
  '×': 'ratio',
  '% of a core': 'CPU time (% of a core)',
  events: 'events',
  requests: 'requests',
  tenants: 'tenants',
};
