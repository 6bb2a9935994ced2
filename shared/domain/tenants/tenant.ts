import { withChanges, type Changes, type Update } from '../core/changes.js';
import type { Actor, Mode, RecordContext } from '../core/fact.js';

export const maximumTenantNameLength = 200;
export const maximumMetadataEntries = 20;
export const maximumMetadataKeyLength = 40;
export const maximumMetadataValueLength = 500;
/**
 * The most lives of a tenant id. Its document has all of them, because the log has the events of a life until their
 * retention ends. With 1,000 partitions, 500 lives take 13 of the 16 MiB that a document of MongoDB may have.
 */
export const maximumLives = 500;

export type Metadata = Readonly<Record<string, string>>;

/** The fields of a tenant that a client sets. */
export interface TenantSettings {
  readonly name: string | null;
  readonly metadata: Metadata;
}

export type TenantChanges = Changes<TenantSettings>;

/** The `ce_id` of the last record below each offset, or null without one. The ids find the offsets in another cluster. */
type BoundaryIds = readonly (string | null)[];

export interface TenantCreated extends TenantSettings {
  /**
   * The end offset of each partition of `events`, read before the record was appended. The life of the tenant has the
   * events from `eventsFrom` on.
   */
  readonly eventsFrom: readonly number[];
  readonly eventsFromIds: BoundaryIds;
  readonly actor: Actor;
}

export interface TenantDeleted {
  /** The deleted life. The record has no effect on another life of the same tenant id. */
  readonly lifeId: string;
  /** The end offset of each partition of `events`. The deleted life has the events below `eventsBelow`. */
  readonly eventsBelow: readonly number[];
  readonly eventsBelowIds: BoundaryIds;
  /** The API keys of the deleted life. */
  readonly apiKeyIds: readonly string[];
  readonly actor: Actor;
}

export interface SessionsRevoked {
  /** The life whose portal sessions end. */
  readonly lifeId: string;
  readonly actor: Actor;
}

export interface TenantErased {
  /** An ended life. The read models contain no event, attempt or replay of it. */
  readonly lifeId: string;
}

export type TenantFact =
  | { readonly type: 'postrider.tenant.created'; readonly value: TenantCreated }
  | {
      readonly type: 'postrider.tenant.updated';
      readonly value: { readonly changes: TenantChanges; readonly actor: Actor };
    }
  | { readonly type: 'postrider.tenant.sessions-revoked'; readonly value: SessionsRevoked }
  | { readonly type: 'postrider.tenant.deleted'; readonly value: TenantDeleted }
  | { readonly type: 'postrider.tenant.erased'; readonly value: TenantErased };

/** A life of a tenant: the time from its creation to its deletion, bounded by offsets of `events`. */
export interface TenantLife {
  /** The `ce_id` of the record that has created the tenant. */
  readonly lifeId: string;
  readonly eventsFrom: readonly number[];
}

/** A life that has ended by a deletion. */
export interface EndedLife extends TenantLife {
  readonly eventsBelow: readonly number[];
  readonly deletedAt: Date;
  /** Whether the read models contain nothing of the life. From then on they ignore the records of the life. */
  readonly isErased: boolean;
}

/**
 * The tenant of an event and the position of the event, in an attempt of a webhook of every tenant. The erasure of the
 * tenant finds the attempt by them. The fields are missing from other attempts.
 */
export interface EventOfTenant {
  readonly ofTenant?: string;
  readonly home?: number;
  readonly homeOffset?: number;
}

/** The marks of a tenant by which indexes find tenants with ended lives. */
export interface LifeMarks {
  /** Present if the tenant has an ended life. */
  readonly hasEnded?: true;
  /** Present while the read models may contain documents of an ended life. */
  readonly erasing?: true;
  /** Present if an ended life is erased. */
  readonly hasErased?: true;
}

interface TenantIdentity extends TenantLife {
  readonly accountId: string;
  readonly mode: Mode;
  readonly tenantId: string;
  /** When the tenant was created, or created again after its deletion. */
  readonly created: Date;
  /** How often the portal sessions of the current or last life were revoked. Each revocation ends all sessions. */
  readonly revocations: number;
  /** The earlier lives of the same tenant id, oldest first. A deleted tenant has its last life there too. */
  readonly ended: readonly EndedLife[];
}

export interface Tenant extends TenantIdentity, TenantSettings {
  readonly status: 'active';
}

/** What remains of a deleted tenant. Its data stays bounded by its lives, and its id stays a cursor of the list. */
export interface DeletedTenant extends TenantIdentity {
  readonly status: 'deleted';
}

export type TenantState = Tenant | DeletedTenant | null;

/** The record key of a tenant. A tenant id contains no slash. */
export function tenantKey(accountId: string, tenantId: string): string {
  return `${accountId}/${tenantId}`;
}

/** The tenant id in the key of a record. */
export function tenantIdOfKey(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/**
 * A tenant after another fact. A fact about another life changes nothing.
 * ```
 *           created               updated
 *  (none) ───────────► active ◄───────────┐
 *                      │    └─────────────┘
 *             deleted  ▼  ▲ created: another life
 *                      deleted
 * ```
 */
export function evolveTenant(
  state: TenantState,
  fact: TenantFact & { readonly context: RecordContext },
): TenantState {
  switch (fact.type) {
    case 'postrider.tenant.created':
      return isKnownLife(state, fact.context.id) ? state : createdTenant(state, fact.value, fact.context);
    case 'postrider.tenant.updated':
      return state?.status === 'active' ? withChanges<Tenant>(state, fact.value.changes) : state;
    case 'postrider.tenant.sessions-revoked':
      return inLife(state, fact.value.lifeId, (tenant) => ({
        ...tenant,
        revocations: tenant.revocations + 1,
      }));
    case 'postrider.tenant.deleted':
      return inLife(state, fact.value.lifeId, (tenant) => deletedTenant(tenant, fact.value, fact.context.at));
    case 'postrider.tenant.erased':
      return withErased(state, fact.value.lifeId);
    default: {
      const never: never = fact;
      return never;
    }
  }
}

/** A tenant after a fact about a life. The fact changes nothing if the life has ended. */
function inLife(
  state: TenantState,
  lifeId: string,
  evolve: (tenant: Tenant) => Tenant | DeletedTenant,
): TenantState {
  return state?.status === 'active' && state.lifeId === lifeId ? evolve(state) : state;
}

/** Whether a creation is a duplicate, or contradicts an active tenant. */
function isKnownLife(state: TenantState, lifeId: string): boolean {
  return state !== null && (state.status === 'active' || state.ended.some((life) => life.lifeId === lifeId));
}

function createdTenant(before: TenantState, value: TenantCreated, context: RecordContext): Tenant {
  const { name, metadata, eventsFrom } = value;
  return {
    accountId: context.accountId,
    mode: context.mode ?? 'live',
    tenantId: tenantIdOfKey(context.key),
    status: 'active',
    created: context.at,
    lifeId: context.id,
    eventsFrom,
    name,
    metadata,
    revocations: 0,
    ended: before?.ended ?? [],
  };
}

function deletedTenant(tenant: Tenant, { eventsBelow }: TenantDeleted, deletedAt: Date): DeletedTenant {
  const { name: _name, metadata: _metadata, ...identity } = tenant;
  const { lifeId, eventsFrom, ended } = tenant;
  return {
    ...identity,
    status: 'deleted',
    ended: [...ended, { lifeId, eventsFrom, eventsBelow, deletedAt, isErased: false }],
  };
}

function withErased(state: TenantState, erasedId: string): TenantState {
  const isChanged = state?.ended.some(({ lifeId, isErased }) => lifeId === erasedId && !isErased) ?? false;
  return state === null || !isChanged
    ? state
    : {
        ...state,
        ended: state.ended.map((life) => (life.lifeId === erasedId ? { ...life, isErased: true } : life)),
      };
}

export function lifeMarksOf(ended: readonly EndedLife[]): LifeMarks {
  return {
    ...(ended.length > 0 && { hasEnded: true }),
    ...(ended.some(({ isErased }) => !isErased) && { erasing: true }),
    ...(ended.some(({ isErased }) => isErased) && { hasErased: true }),
  };
}

/**
 * Whether an ended life contains the event at a position of the topic `events`. A partition that was added after the
 * creation of the tenant belongs to the life from its beginning. A partition that was added after the deletion has no
 * event of the life.
 */
export function containsEvent(
  { eventsFrom, eventsBelow }: Pick<EndedLife, 'eventsFrom' | 'eventsBelow'>,
  { partition, offset }: { readonly partition: number; readonly offset: number },
): boolean {
  return offset >= (eventsFrom[partition] ?? 0) && offset < (eventsBelow[partition] ?? 0);
}

/** Whether a tenant that does not exist may be created: it has had fewer lives than an id may have. */
export function canBegin(before: DeletedTenant | null): boolean {
  return before === null || before.ended.length < maximumLives;
}

/** The facts of a PUT of an existing tenant. A field that is left out stays unchanged. */
export function decideTenantUpdate(
  tenant: Tenant,
  update: Update<TenantSettings>,
  actor: Actor,
): readonly TenantFact[] {
  const { name, metadata } = update;
  const changes: TenantChanges = {
    ...(name !== undefined && name !== tenant.name && { name: { from: tenant.name, to: name } }),
    ...(metadata !== undefined &&
      !isSameMetadata(metadata, tenant.metadata) && {
        metadata: { from: tenant.metadata, to: metadata },
      }),
  };
  return Object.keys(changes).length === 0
    ? []
    : [{ type: 'postrider.tenant.updated', value: { changes, actor } }];
}

function isSameMetadata(one: Metadata, other: Metadata): boolean {
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length && entries.every(([key, value]) => other[key] === value)
  );
}
