import type { DeletedTenantApiKey, TenantApiKey } from '../../domain/accounts/tenantApiKey.js';
import type { DeletedEventType, EventType } from '../../domain/eventTypes/eventType.js';
import type { Replay } from '../../domain/replays/replay.js';
import type { DeletedTenant, Tenant } from '../../domain/tenants/tenant.js';
import { fromBinary } from '../client/binary.js';
import type {
  EventTypeDocument,
  LiveEventTypeDocument,
  ReplayDocument,
  TenantApiKeyDocument,
  TenantDocument,
  EventDocument,
  FoldedPositions,
} from '../models/documents.js';

/** The event type that a document of the read model `eventTypes` contains. */
export function storedEventType(document: EventTypeDocument): EventType | DeletedEventType {
  return document.status === 'active' ? liveEventType(document) : deletedEventType(document);
}

function liveEventType(document: LiveEventTypeDocument): EventType {
  const { accountId, mode, name, status, created, revision, updated } = document;
  const { description, validation, deprecated, schema, examples } = document;
  return {
    accountId,
    mode,
    name,
    status,
    created,
    revision,
    updated,
    description,
    validation,
    deprecated,
    schema: schema === null ? null : fromBinary(schema).toString(),
    examples: fromBinary(examples).toString(),
  };
}

function deletedEventType({ accountId, mode, name, created, revision }: DeletedEventType): DeletedEventType {
  return { accountId, mode, name, status: 'deleted', created, revision };
}

/** The replay that a document of the read model `replays` contains. */
export function storedReplay({
  _id: id,
  positions: _positions,
  omitted = null,
  ...replay
}: ReplayDocument): Replay {
  return { id, ...replay, omitted };
}

/** The tenant that a document of the read model `tenants` contains. */
export function storedTenant(document: TenantDocument): Tenant | DeletedTenant {
  const { _id, positions: _positions, recordIds: _recordIds, status, name, metadata, ...fields } = document;
  const { hasEnded: _hasEnded, erasing: _erasing, hasErased: _hasErased, ...identity } = fields;
  return status === 'active'
    ? { ...identity, status, name, metadata: Object.fromEntries(metadata) }
    : { ...identity, status };
}

/** The API key of a tenant that a document of the read model `tenants` contains. */
export function storedTenantApiKey(document: TenantApiKeyDocument): TenantApiKey | DeletedTenantApiKey {
  const { _id: id, positions: _positions, recordIds: _recordIds, ...apiKey } = document;
  return { ...apiKey, id };
}

const prefix = 'deliveries/';

/**
 * The partitions of `deliveries` with records about an event: its home partition, and each other partition that the
 * document names. Earlier versions appended the records about an event of another producer to the partition of the key.
 */
export function deliveryPartitionsOf({
  home,
  positions,
}: Pick<EventDocument, 'home' | 'positions'>): readonly number[] {
  return [...new Set([home, ...deliveryPartitionsIn(positions)])];
}

/** The partitions of `deliveries` whose records were folded into a document. */
export function deliveryPartitionsIn(positions: FoldedPositions): readonly number[] {
  return Object.keys(positions).flatMap((name) =>
    name.startsWith(prefix) ? [Number(name.slice(prefix.length))] : [],
  );
}
