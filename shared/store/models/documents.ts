import type { Binary } from 'mongodb';

import type { Account, DeletedAccount } from '../../domain/accounts/account.js';
import type { AuditEntry } from '../../domain/accounts/audit.js';
import type { Mode } from '../../domain/core/fact.js';
import type { Delivery } from '../../domain/deliveries/delivery.js';
import type { AttemptTrigger, DeliveryError } from '../../domain/deliveries/deliveryFacts.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { SealedSecret } from '../../domain/webhooks/signingSecrets.js';
import type { DeletedWebhook, Webhook } from '../../domain/webhooks/webhook.js';

/**
 * The highest offset that was folded into a document, by `topic/partition`. Records up to this offset do not change the
 * document again.
 */
export type FoldedPositions = Readonly<Record<string, number>>;

/** The fields that every document of a read model has. */
export interface ModelDocument {
  readonly _id: string;
  readonly positions: FoldedPositions;
}

/**
 * The fields that a read of documents omits. A read cannot omit a field of `ModelDocument`, because the meta document
 * needs these fields.
 */
export interface Without<Model extends ModelDocument> {
  readonly without?: readonly Exclude<keyof Model & string, keyof ModelDocument>[];
}

/**
 * The document of a resource with the ids of its last records. The ids identify a duplicate that follows other records.
 */
interface ResourceDocument extends ModelDocument {
  readonly recordIds: readonly string[];
}

/**
 * An event and a summary of its deliveries. The fields of the event's own record are missing until the fold has read
 * it.
 */
export interface EventDocument extends ModelDocument {
  readonly accountId?: string;
  readonly mode?: Mode;
  readonly type?: string;
  readonly created?: Date;
  /** The JSON text of the event's `data`, byte for byte. */
  readonly data?: Binary;
  readonly onlyWebhookId?: string | null;
  /** The position of the event's record in the topic `events`. */
  readonly source?: {
    readonly partition: number;
    readonly offset: number;
    /** When the event's record was appended, in milliseconds since 1970. */
    readonly appended: number;
  };
  readonly deliveries: readonly Delivery[];
  /** Present once a record has named all webhooks that match the event. */
  readonly matched?: true;
  /**
   * The replays of the event's deliveries, each id alone and with its outcome, such as `rpl_…/done`; missing for an
   * event that was never replayed.
   */
  readonly replayed?: readonly string[];
}

export type WebhookDocument = (Omit<Webhook, 'id'> | Omit<DeletedWebhook, 'id'>) & ResourceDocument;

export type AccountDocument = (Omit<Account, 'id'> | Omit<DeletedAccount, 'id'>) & ResourceDocument;

/** The document of an account that was not deleted. */
export type LiveAccountDocument = Omit<Account, 'id'> & ResourceDocument;

export type ReplayDocument = Omit<Replay, 'id'> & ModelDocument;

/** The document of an account's data key, which also says if the data key is missing. */
export interface AccountKeyDocument extends ModelDocument {
  /**
   * The account's data key, sealed with an encryption key for this account alone. The field is null if the data key was
   * destroyed, or if its record was not read.
   */
  readonly key: SealedSecret | null;
  /** The times of the first and the last tombstone of the data key. */
  readonly destroyed: { readonly first: Date; readonly last: Date } | null;
  /** Present when the fold has read the deletion of the account, which no longer needs a data key. */
  readonly isDeleted?: true;
  /**
   * Present while the account has sealed records, but the fold has read neither a data key nor the deletion of the
   * account.
   */
  readonly lacksKey?: true;
}

/** One entry of the audit log. `positions` is empty, because no later record changes the document. */
export interface AuditDocument extends Omit<AuditEntry, 'id' | 'at'>, ModelDocument {
  /** When the action happened. Lists of every read model are ordered by `created`. */
  readonly created: Date;
}

/**
 * Headers as a list, because the name of a header may contain characters that MongoDB gives a meaning in the name of a
 * field.
 */
export type StoredHeaders = readonly (readonly [name: string, value: string])[];

/** The document of one attempt of a delivery. `positions` is empty, because no later record changes the document. */
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
  /** The beginning of the response body, at most 4 KiB. */
  readonly responseBody: Binary;
  /**
   * The fields of the request. They are null if the record of the attempt is of an earlier version, or no request was
   * made.
   */
  readonly url: string | null;
  readonly requestHeaders: StoredHeaders | null;
  /** Null without a response. */
  readonly responseHeaders: StoredHeaders | null;
  readonly eventType: string | null;
  /** When the attempt started. Lists of every read model are ordered by `created`. */
  readonly created: Date;
}
