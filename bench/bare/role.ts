import type { Kafka } from 'kafkajs';

import type { Config } from '../../shared/settings/config.js';

/** What a process of the bare pipeline works with. */
export interface BareContext {
  readonly config: Config;
  readonly kafka: Kafka;
  /** Topics by their names in this run. */
  readonly topics: { readonly events: string; readonly outcomes: string };
  /** Every event goes to each of them. */
  readonly webhookUrls: readonly string[];
}

/** Starts one role; resolves with its address, which is empty where it serves nothing. */
export type StartBareRole = (context: BareContext) => Promise<string>;
