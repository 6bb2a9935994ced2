import type { Binary } from 'mongodb';

import type { Account, DeletedAccount } from '../../domain/accounts/account.js';
import type { AuditEntry } from '../../domain/accounts/audit.js';
import type { AttemptTrigger, Delivery, DeliveryError } from '../../domain/deliveries/delivery.js';
import type { Mode } from '../../domain/core/fact.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { DeletedWebhook, Webhook } from '../../domain/webhooks/webhook.js';

/** The highest offset that was folded into a document, by `topic/partition`: records up to there change nothing. */
export type FoldedPositions = Readonly<Record<string, number>>;

/** What every document of a read model has. */
export interface ModelDocument {
  readonly _id: string;
  readonly positions: FoldedPositions;
}

/** Fields that a read leaves out. The meta document, which is read with the documents, has to keep those of all documents. */
export interface Without<Model extends ModelDocument> {
  readonly without?: readonly Exclude<keyof Model & string, keyof ModelDocument>[];
}

/** Documents of resources also know their last records' ids: one written again may come after others. */
interface ResourceDocument extends ModelDocument {
  readonly recordIds: readonly string[];
}

/** An event and a summary of its deliveries. What comes from the event's own record is missing until it was read. */
export interface EventDocument extends ModelDocument {
  readonly accountId?: string;
  readonly mode?: Mode;
  readonly type?: string;
  readonly created?: Date;
  /** The JSON text of `data`, byte for byte. */
  readonly data?: Binary;
  readonly onlyWebhookId?: string | null;
  /** Where the event's own record stands. */
  readonly source?: {
    readonly partition: number;
    readonly offset: number;
    /** The time that the log gave it, in milliseconds since 1970. */
    readonly appended: number;
  };
  readonly deliveries: readonly Delivery[];
  /** Each replay that one of the deliveries is part of, and the same with its outcome: `rpl_…/done`. Left out where there is none. */
  readonly replayed?: readonly string[];
}

export type WebhookDocument = (Omit<Webhook, 'id'> | Omit<DeletedWebhook, 'id'>) & ResourceDocument;

export type AccountDocument = (Omit<Account, 'id'> | Omit<DeletedAccount, 'id'>) & ResourceDocument;

/** The document of an account that was not deleted. */
export type LiveAccountDocument = Omit<Account, 'id'> & ResourceDocument;

export type ReplayDocument = Omit<Replay, 'id'> & ModelDocument;

/** The data key of an account, and whether one is missing. */
export interface AccountKeyDocument extends ModelDocument {
  /** Sealed with an encryption key, for this account alone; null if it was destroyed, or was never read. */
  readonly key: SealedSecret | null;
  /** When the first and the last record said that it is destroyed. */
  readonly destroyed: { readonly first: Date; readonly last: Date } | null;
  /** Present once the deletion of the account was read: its key is no longer needed. */
  readonly isDeleted?: true;
  /** Present while the account has sealed records, and neither a key that opens them nor its deletion was read. */
  readonly lacksKey?: true;
}

/** One entry of the audit log. `positions` is empty: nothing is ever folded into it again. */
export interface AuditDocument extends Omit<AuditEntry, 'id' | 'at'>, ModelDocument {
  /** When it happened: lists of every model are in the order of this field. */
  readonly created: Date;
}

/** One attempt. `positions` is empty: nothing is ever folded into it again. */
export interface AttemptDocument extends ModelDocument {
  readonly accountId: string;
  readonly mode: Mode;
  readonly eventId: string;
  readonly webhookId: string;
  readonly cycle: number;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly status: 'succeeded' | 'failed';
  readonly statusCode: number | null;
  readonly error: DeliveryError | null;
  readonly durationMs: number;
  /** The first bytes of the response, at most 4 KiB. */
  readonly responseBody: Binary;
  /** When the attempt was begun: lists of every model are in the order of this field. */
  readonly created: Date;
}
