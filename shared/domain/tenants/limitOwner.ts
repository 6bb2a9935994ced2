/** The account or tenant whose limits a request uses. The requests of tenant callers use no limit of their account. */
export interface LimitOwner {
  readonly accountId: string;
  /** The life of the tenant of a tenant caller, or null for a credential of the account. */
  readonly lifeId: string | null;
}

/** The key of a limit of an account, or of a limit that all tenants of the account have together. */
export function commonLimitKey({ accountId, lifeId }: LimitOwner): string {
  return lifeId === null ? accountId : `${accountId}/tenants`;
}
