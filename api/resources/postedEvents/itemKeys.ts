import { createHash } from 'node:crypto';

import { createTimeSlices } from '../../../shared/concurrency/timeSlices.js';
import { UnavailableError } from '../../../shared/core/errors.js';
import type { RequestIdentity } from '../../../shared/domain/core/requestIdentity.js';
import type {
  ItemClaim,
  ItemClaims,
  ItemReservations,
} from '../../../shared/store/coordination/itemReservations.js';
import { reservationName } from '../../../shared/store/coordination/reservations.js';
import { apiError, isApiError, serviceUnavailable, type ApiError } from '../../http/apiError.js';
import type { PostedEvent, PostedItem } from '../../http/context.js';
import type { Owner } from '../../http/ownership.js';

/** The reservation that an event with an idempotency key needs. */
export interface ItemKey {
  readonly name: string;
  /** The hash of everything in which repeated events must not differ. */
  readonly bodyHash: string;
  /** The seed that the reservation gets if no earlier request has used the key. */
  readonly seed: Buffer;
}

/** The idempotency keys of posted events, after the request has tried to take them. */
export interface TakenKeys {
  /** The key of an event, or null for an event without an idempotency key. */
  readonly keyOf: (index: number) => ItemKey | null;
  /** The claim of an event with a key, or the error of an event that must not be appended. */
  readonly claimOf: (item: PostedEvent, key: ItemKey) => HeldClaim | ApiError;
  /** Marks and releases keys; null if the request has no keys, or could not take them. */
  readonly claims: ItemClaims | null;
}

type HeldClaim = Extract<ItemClaim, { readonly origin: unknown }>;

/** Takes the idempotency keys of all events with one write. A failure concerns only the events with a key. */
export async function takeKeys(
  reservations: ItemReservations,
  owner: Owner,
  items: readonly PostedItem[],
  identity: RequestIdentity,
): Promise<TakenKeys> {
  const keys = await itemKeys(owner, items, identity);
  const claims = await claimsOf(reservations, owner.accountId, keys, identity);
  return {
    keyOf: (index) => keys.get(index) ?? null,
    claimOf: (item, key) => {
      if (claims instanceof UnavailableError) {
        return unavailableItem(claims, item);
      }
      try {
        const claim: ItemClaim = claims?.of(key) ?? { outcome: 'in-use' };
        return 'origin' in claim ? claim : refusedKey(claim.outcome, item);
      } catch (error) {
        if (error instanceof UnavailableError) {
          return unavailableItem(error, item);
        }
        throw error;
      }
    },
    claims: claims instanceof UnavailableError ? null : claims,
  };
}

/** The error of an event that a later request may post. */
export function unavailableItem(error: UnavailableError, { place }: PostedEvent): ApiError {
  return { ...serviceUnavailable(error), param: place === '' ? null : place };
}

async function itemKeys(
  { accountId, mode, tenant }: Owner,
  items: readonly PostedItem[],
  identity: RequestIdentity,
): Promise<ReadonlyMap<number, ItemKey>> {
  const keys = new Map<number, ItemKey>();
  const slices = createTimeSlices();
  for (const [index, item] of items.entries()) {
    if (!isApiError(item) && item.key !== null) {
      const digest = createHash('sha256')
        .update(JSON.stringify([mode, 'events', ...item.key]))
        .digest('hex');
      const seed = identity.itemSeed(String(index));
      const name = reservationName(accountId, digest, tenant?.lifeId ?? null);
      keys.set(index, { name, bodyHash: hashOf(item), seed });
    }
    if (slices.isOver()) {
      await slices.next();
    }
  }
  return keys;
}

/** Extensions may differ between repetitions of a CloudEvent, such as those for tracing. */
function hashOf({ type, data, tenantId = null, attributes }: PostedEvent): string {
  const { time, subject, dataschema } = attributes ?? {};
  // The hash of an event without a tenant is that of earlier versions.
  const tenant = tenantId === null ? [] : [tenantId];
  return createHash('sha256')
    .update(JSON.stringify([type, time, subject, dataschema, ...tenant]))
    .update(data)
    .digest('hex');
}

/** @returns null if no event has a key */
async function claimsOf(
  reservations: ItemReservations,
  accountId: string,
  keys: ReadonlyMap<number, ItemKey>,
  identity: RequestIdentity,
): Promise<ItemClaims | UnavailableError | null> {
  // If events have the same key, the first one determines the event of the key.
  const byName = new Map([...keys.values()].toReversed().map((key) => [key.name, key]));
  if (byName.size === 0) {
    return null;
  }
  try {
    return await reservations.take(
      accountId,
      [...byName.values()].map((key) => ({ ...key, created: identity.created })),
    );
  } catch (error) {
    if (error instanceof UnavailableError) {
      return error;
    }
    throw error;
  }
}

function refusedKey(outcome: 'in-use' | 'other-body', { keyPlace: param }: PostedEvent): ApiError {
  return outcome === 'in-use'
    ? apiError(
        'idempotency_key_in_use',
        `A request with the same ${param} is in progress. Retry the request in a second.`,
        { param },
      )
    : apiError(
        'idempotency_key_reused',
        `${param} was already sent with another event. Use a new key for each new event.`,
        { param },
      );
}
