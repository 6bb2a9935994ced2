import type { Binary } from 'mongodb';

import type { Account, DeletedAccount } from '../../domain/accounts/account.js';
import type { AuditEntry } from '../../domain/accounts/audit.js';
import type { Mode } from '../../domain/core/fact.js';
import type { AttemptTrigger, Delivery, DeliveryError } from '../../domain/deliveries/delivery.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { DeletedWebhook, Webhook } from '../../domain/webhooks/webhook.js';

/** The highest offset that was folded into a document, by `topic/partition`. Records up to it change nothing. */
export type FoldedPositions = Readonly<Record<string, number>>;

/** The fields that every document of a read model has. */
export interface ModelDocument {
  readonly _id: string;
  readonly positions: FoldedPositions;
}

/**
 * Fields that a read omits. The meta document, which is read with the documents, must keep the fields of all documents.
 */
export interface Without<Model extends ModelDocument> {
  readonly without?: readonly Exclude<keyof Model & string, keyof ModelDocument>[];
}

/** A document of a resource with the ids of its last records, because a duplicate may follow other records. */
interface ResourceDocument extends ModelDocument {
  readonly recordIds: readonly string[];
}

/**
 * An event and a summary of its deliveries. The fields of the event's own record are missing until that record was
 * read.
 */
export interface EventDocument extends ModelDocument {
  readonly accountId?: string;
  readonly mode?: Mode;
  readonly type?: string;
  readonly created?: Date;
  /** The JSON text of `data`, byte for byte. */
  readonly data?: Binary;
  readonly onlyWebhookId?: string | null;
  /** The position of the event's own record. */
  readonly source?: {
    readonly partition: number;
    readonly offset: number;
    /** The append time in the log, in milliseconds since 1970. */
    readonly appended: number;
  };
  readonly deliveries: readonly Delivery[];
  /**
   * Each replay that one of the deliveries is part of, alone and with its outcome: `rpl_…/done`. Missing if there is
   * none.
   */
  readonly replayed?: readonly string[];
}

export type WebhookDocument = (Omit<Webhook, 'id'> | Omit<DeletedWebhook, 'id'>) & ResourceDocument;

export type AccountDocument = (Omit<Account, 'id'> | Omit<DeletedAccount, 'id'>) & ResourceDocument;

/** The document of an account that was not deleted. */
export type LiveAccountDocument = Omit<Account, 'id'> & ResourceDocument;

export type ReplayDocument = Omit<Replay, 'id'> & ModelDocument;

/** The data key of an account, and whether the key is missing. */
export interface AccountKeyDocument extends ModelDocument {
  /**
   * The data key, sealed with an encryption key for this account alone. Null if it was destroyed, or was never read.
   */
  readonly key: SealedSecret | null;
  /** The times of the first and the last record of its destruction. */
  readonly destroyed: { readonly first: Date; readonly last: Date } | null;
  /** Present once the deletion of the account was read: its key is no longer needed. */
  readonly isDeleted?: true;
  /** Present while the account has sealed records, and neither a key that opens them nor its deletion was read. */
  readonly lacksKey?: true;
}

/** One entry of the audit log. `positions` is empty, because no later record is folded into it. */
export interface AuditDocument extends Omit<AuditEntry, 'id' | 'at'>, ModelDocument {
  /** When it happened. Lists of every model are ordered by this field. */
  readonly created: Date;
}

/** One attempt. `positions` is empty, because no later record is folded into it. */
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
  /** When the attempt started. Lists of every model are ordered by this field. */
  readonly created: Date;
}
