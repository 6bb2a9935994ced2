import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';

interface TenantFilterProps {
  /** The label, which names the accepted values. */
  readonly label?: string;
}

/** A filter of a list by the id of a tenant. An account may have too many tenants to list them. */
export function TenantFilter({ label = 'Tenant id, or null for none' }: TenantFilterProps) {
  const [parameters, change] = useParameters();
  return (
    <label class="filter">
      <span>{label}</span>
      <input
        type="search"
        value={parameters.get('tenant') ?? ''}
        placeholder="customer-42"
        spellcheck={false}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => {
          change({ ...firstPage, tenant: value.trim() });
        }}
      />
    </label>
  );
}
