import { everyTenant } from '../navigation/tenantIds.js';
import { useAddress } from '../navigation/useMode.js';

interface TenantLinkProps {
  /** The tenant of an event or a webhook, or null without a tenant. */
  readonly id: string | null;
}

/** The tenant of an event or a webhook, as a link to its page. Without a tenant, nothing is shown. */
export function TenantLink({ id }: TenantLinkProps) {
  const address = useAddress();
  if (id === null) {
    return null;
  }
  return id === everyTenant ? (
    <span class="quiet">Events of every tenant</span>
  ) : (
    <span>
      <span class="quiet">Tenant</span>{' '}
      <a class="breakable" href={address(`/tenants/${id}`)}>
        {id}
      </a>
    </span>
  );
}
