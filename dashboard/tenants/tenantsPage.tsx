import { Building2, PanelsTopLeft, Plus } from 'lucide';
import { useCallback, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { List, Tenant } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { Button, LinkButton } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { firstPage, pageLinks } from '../navigation/pageLinks.js';
import { pageSize } from '../navigation/pageSize.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi, useMay } from '../session/session.js';
import { NewTenant } from './changeTenant.js';
import { metadataText, tenantTitle } from './tenantFields.js';

/** The longest text that the API searches. */
const longestSearch = 200;

export function TenantsPage() {
  const api = useApi();
  const address = useAddress();
  const may = useMay('owner');
  const [parameters] = useParameters();
  const [isCreating, setCreating] = useState(false);
  const search = (parameters.get('search') ?? '').trim();
  const [startingAfter, endingBefore] = [parameters.get('after'), parameters.get('before')];
  const load = useCallback(
    (signal: AbortSignal): Promise<List<Tenant>> => {
      const query = {
        limit: pageSize(),
        ...(search === '' ? {} : { search }),
        ...(startingAfter === null ? {} : { startingAfter }),
        ...(endingBefore === null ? {} : { endingBefore }),
      };
      return answerOf(api.GET('/v1/tenants', { params: { query }, signal }));
    },
    [api, search, startingAfter, endingBefore],
  );
  const tenants = useLoaded(load);
  return (
    <PageFrame
      title="Tenants"
      lede="Your customers that have webhooks of their own."
      turn={startingAfter ?? endingBefore ?? ''}
      actions={
        <>
          <LinkButton icon={PanelsTopLeft} href={address('/portal')}>
            Customer portal
          </LinkButton>
          {may && (
            <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
              Add tenant
            </Button>
          )}
        </>
      }
    >
      <TenantSearch />
      <LoadedContent of={tenants} waiting={<SkeletonRows count={10} what="tenants" />}>
        {(page) => <TenantList page={page} search={search} cursors={{ startingAfter, endingBefore }} />}
      </LoadedContent>
      {isCreating && (
        <NewTenant
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
    </PageFrame>
  );
}

function TenantSearch() {
  const [parameters, change] = useParameters();
  return (
    <div class="filters" role="search" aria-label="Tenants">
      <label class="filter search">
        <span>Id or name</span>
        <input
          type="search"
          value={parameters.get('search') ?? ''}
          maxLength={longestSearch}
          spellcheck={false}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => {
            change({ ...firstPage, search: value.trim() });
          }}
        />
      </label>
    </div>
  );
}

interface TenantListProps {
  readonly page: List<Tenant>;
  readonly search: string;
  readonly cursors: { readonly startingAfter: string | null; readonly endingBefore: string | null };
}

function TenantList({ page, search, cursors }: TenantListProps) {
  const { url } = useLocation();
  return (
    <>
      {page.data.length === 0 ? (
        <NoTenants search={search} isPaged={cursors.startingAfter !== null} />
      ) : (
        <div class="card card-table">
          <DataTable
            caption="Tenants, newest first"
            columns={columns}
            rows={page.data}
            keyOf={({ id }) => id}
          />
        </div>
      )}
      <Pager links={pageLinks(url, page, cursors)} />
    </>
  );
}

const columns: readonly Column<Tenant>[] = [
  { name: 'Tenant', isMain: true, cell: (tenant) => <TenantName tenant={tenant} /> },
  {
    name: 'Metadata',
    isMinor: true,
    cell: ({ metadata }) => <span class="clamp breakable">{metadataText(metadata) || '–'}</span>,
  },
  { name: 'Created', isNumber: true, cell: ({ created }) => <Time at={created} /> },
];

function TenantName({ tenant }: { readonly tenant: Tenant }) {
  const address = useAddress();
  return (
    <>
      <a class="row-link breakable" href={address(`/tenants/${tenant.id}`)}>
        {tenantTitle(tenant)}
      </a>
      <span class="under">
        <Identifier id={tenant.id} what="tenant id" />
      </span>
    </>
  );
}

interface NoTenantsProps {
  readonly search: string;
  readonly isPaged: boolean;
}

function NoTenants({ search, isPaged }: NoTenantsProps) {
  if (isPaged) {
    return (
      <EmptyState icon={Building2} title="No older tenants">
        <p>This page is the end of the list of tenants.</p>
      </EmptyState>
    );
  }
  return search === '' ? (
    <EmptyState icon={Building2} title="No tenants yet">
      <p>
        A tenant is a customer of yours with its own webhooks. Create a tenant when a customer signs up, and
        post the events of the customer with its <code>tenantId</code>.
      </p>
    </EmptyState>
  ) : (
    <EmptyState icon={Building2} title="No tenant found">
      <p class="breakable">No tenant has “{search}” in its id or its name.</p>
    </EmptyState>
  );
}
