import type { Actor } from '../core/fact.js';

/** The reason why an attempt failed, or why a delivery ended without an attempt. */
export const deliveryErrorCodes = [
  'timeout',
  'connection_refused',
  'connection_failed',
  'connection_reset',
  'response_invalid',
  'response_too_large',
  'dns_error',
  'tls_error',
  'address_not_allowed',
  'redirect_not_followed',
  'http_status',
  'auth_failed',
  'webhook_deleted',
  'webhook_disabled',
  'tenant_deleted',
  'event_expired',
  'replay_canceled',
] as const;

export type DeliveryErrorCode = (typeof deliveryErrorCodes)[number];

export interface DeliveryError {
  readonly code: DeliveryErrorCode;
  readonly message: string;
}

/** The error of a delivery that ends because the tenant of its event was deleted. */
export const tenantDeleted: DeliveryError = {
  code: 'tenant_deleted',
  message: 'The tenant was deleted before the event could be delivered',
};

export const attemptTriggers = ['first', 'retry', 'resend', 'replay', 'test'] as const;

export type AttemptTrigger = (typeof attemptTriggers)[number];

/** Why a delivery waits for something other than a time: its webhook is busy. */
export const waitReasons = ['busy'] as const;

export type WaitReason = (typeof waitReasons)[number];

/** The fields that every record of a delivery has. */
export interface DeliveryReference {
  readonly webhookId: string;
  /** The number of the cycle. The event starts cycle 0, and each resend or replay starts another cycle. */
  readonly cycle: number;
  /** The webhook's epoch when the record was decided. */
  readonly epoch: number;
  readonly replayId: string | null;
}

export interface DeliveryAttempted extends DeliveryReference {
  /**
   * The webhook's version when the request was sent. Missing in records of earlier versions of the service, which count
   * for version 0.
   */
  readonly webhookVersion?: number | undefined;
  readonly attemptId: string;
  /**
   * The number that the process gave the attempt when it began: in a cycle each attempt has the number after the previous
   * one, and a cycle continues after the attempts that were recorded when it began. If cycles overlap, attempts of two
   * cycles may have the same number. The order of the log gives an attempt its number in the API.
   */
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly outcome: 'succeeded' | 'failed';
  /** Whether the attempt is the last attempt of its cycle. */
  readonly final: boolean;
  readonly statusCode: number | null;
  readonly error: DeliveryError | null;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly nextAttemptAt: Date | null;
  /** The first 4 KiB of the response body, in base64. */
  readonly responseBody: string;
  /** True if `responseBody` is not the whole body. Missing if it is, and in records of earlier versions. */
  readonly responseTruncated?: boolean | undefined;
  /** How often the request was sent: 2. Missing if it was not repeated, and in records of earlier versions. */
  readonly requests?: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The URL at the time of the attempt. This field and the next two are missing in records of earlier versions. */
  readonly url?: string | undefined;
  /** The headers of the request by lower-case name, with masked signatures. Missing if no request was made. */
  readonly requestHeaders?: Readonly<Record<string, string>> | undefined;
  readonly eventType?: string | undefined;
}

/** The event of a parking record: readers of the log must have passed its position to know the delivery. */
interface EventReference {
  /** The offset in the partition of `events` that has the number of the record's own partition. */
  readonly event: { readonly offset: number };
}

/** The facts of one delivery. */
export type DeliveryFact =
  | {
      readonly type: 'postrider.delivery.requested';
      readonly value: DeliveryReference & { readonly trigger: AttemptTrigger; readonly actor: Actor };
    }
  | { readonly type: 'postrider.delivery.attempted'; readonly value: DeliveryAttempted }
  | {
      /**
       * The first attempt of a cycle is parked. `number` is the number of that attempt. In records of earlier versions,
       * `waits` is missing: these deliveries have a retry record for `nextAttemptAt`.
       */
      readonly type: 'postrider.delivery.deferred';
      readonly value: DeliveryReference & {
        readonly nextAttemptAt: Date;
        readonly waits?: WaitReason | undefined;
        readonly number?: number | undefined;
        readonly event?: EventReference['event'] | undefined;
      };
    }
  | {
      /** A retry is parked. `number` is the number of the attempt that waits. */
      readonly type: 'postrider.delivery.retry-deferred';
      readonly value: DeliveryReference &
        EventReference & { readonly number: number; readonly waits: WaitReason };
    }
  | {
      readonly type: 'postrider.delivery.canceled';
      readonly value: DeliveryReference & { readonly error: DeliveryError };
    };

/** A webhook that matches an event. Its delivery is parked by the record if `waits` is not null. */
export interface MatchedWebhook {
  readonly webhookId: string;
  readonly epoch: number;
  readonly waits: WaitReason | null;
  /** The tenancy of the webhook; missing without one. */
  readonly tenancy?: string | undefined;
}

/**
 * All webhooks that match an event. Delivery appends this fact if a delivery of the event has not ended half a second
 * after delivery has read the event's matching webhooks. It belongs to cycle 0.
 */
export interface EventMatched {
  readonly type: 'postrider.delivery.matched';
  readonly value: EventReference & { readonly webhooks: readonly MatchedWebhook[] };
}
