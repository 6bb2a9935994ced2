import { KeyRound, Plus } from 'lucide';
import { useCallback, useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { ApiKey, List } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { Badge } from '../components/badge.js';
import { Button } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { CreateKey } from './createKey.js';
import { DeleteKey } from './deleteKey.js';
import { RotationGuide } from './rotationGuide.js';

/** The largest number of keys that an account or a tenant has in each mode. */
const limit = 100;
/** The filter for keys without a tenant. */
const accountOnly = 'null';

/** The API keys of the account, or with the parameter `tenant` of the address those of a tenant. */
export function ApiKeysPage() {
  const mode = useMode();
  const address = useAddress();
  const [parameters] = useParameters();
  const tenantId = parameters.get('tenant');
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<ApiKey | null>(null);
  const keys = useKeys(tenantId);
  const create = (
    <Button
      kind="primary"
      icon={Plus}
      onClick={() => {
        setCreating(true);
      }}
    >
      Create key
    </Button>
  );
  return (
    <PageFrame
      title="API keys"
      {...(tenantId !== null && { back: { href: address(`/tenants/${tenantId}`), text: 'Tenant' } })}
      lede={
        tenantId === null
          ? `Programs authenticate with API keys. The list shows the ${mode} keys of the account.`
          : `The programs of a tenant authenticate with its API keys. The list shows the ${mode} keys of ${tenantId}.`
      }
      actions={create}
    >
      <LoadedContent of={keys} waiting={<SkeletonRows count={4} what="API keys" />}>
        {({ data }) => (
          <KeyTable
            keys={data.filter((key) => key.mode === mode)}
            isOfTenant={tenantId !== null}
            onDelete={setDeleted}
          />
        )}
      </LoadedContent>
      <RotationGuide />
      {isCreating && (
        <CreateKey
          tenantId={tenantId}
          onCreated={keys.reload}
          onClose={() => {
            setCreating(false);
          }}
        />
      )}
      {deleted !== null && (
        <DeleteKey
          apiKey={deleted}
          onDeleted={keys.reload}
          onClose={() => {
            setDeleted(null);
          }}
        />
      )}
    </PageFrame>
  );
}

/** The newest keys of the account, or of a tenant. */
function useKeys(tenantId: string | null) {
  const api = useApi();
  const load = useCallback(
    (signal: AbortSignal): Promise<List<ApiKey>> =>
      answerOf(
        api.GET('/v1/api-keys', {
          params: { query: { limit, tenantId: tenantId ?? accountOnly } },
          signal,
        }),
      ),
    [api, tenantId],
  );
  return useLoaded(load);
}

interface KeyTableProps {
  readonly keys: readonly ApiKey[];
  readonly isOfTenant: boolean;
  readonly onDelete: (key: ApiKey) => void;
}

function KeyTable({ keys, isOfTenant, onDelete }: KeyTableProps) {
  const mode = useMode();
  if (keys.length === 0) {
    return (
      <EmptyState icon={KeyRound} title={`No ${mode} keys`}>
        <p>
          {isOfTenant
            ? 'With a key, a program of the tenant posts its events and manages its webhooks. The secret of a key is shown once.'
            : 'Create a key for each program that posts events. The secret of a key is shown once, with an example command.'}
        </p>
      </EmptyState>
    );
  }
  const columns: readonly Column<ApiKey>[] = [
    {
      name: 'Name',
      isMain: true,
      cell: ({ name, prefix, last4 }) => (
        <>
          <strong class="breakable">{name}</strong>
          <code class="under quiet">
            {prefix}…{last4}
          </code>
        </>
      ),
    },
    {
      name: 'Access',
      cell: ({ scopes }) => (scopes === null ? 'Full' : <span class="clamp">{scopes.join(', ')}</span>),
    },
    {
      name: 'Last used',
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? <span class="quiet">Never</span> : <Time at={lastUsedAt} form="relative" />,
    },
    { name: 'Expires', cell: ({ status, expiresAt }) => <Expiry status={status} expiresAt={expiresAt} /> },
    { name: 'Created', isMinor: true, cell: ({ created }) => <Time at={created} /> },
    {
      name: 'Actions',
      isActions: true,
      cell: (key) => (
        <Button
          isSmall
          onClick={() => {
            onDelete(key);
          }}
        >
          Delete key<span class="hidden"> {key.name}</span>
        </Button>
      ),
    },
  ];
  return (
    <div class="card card-table">
      <DataTable caption="API keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
    </div>
  );
}

function Expiry({ status, expiresAt }: Pick<ApiKey, 'status' | 'expiresAt'>) {
  if (expiresAt === null) {
    return <span class="quiet">Never</span>;
  }
  return status === 'expired' ? (
    <Badge tone="bad">
      Expired <Time at={expiresAt} form="relative" />
    </Badge>
  ) : (
    <Time at={expiresAt} form="relative" />
  );
}
