import { Plus, Webhook as WebhookIcon } from 'lucide';
import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import type { Loaded } from '../api/useLoaded.js';
import { useRefreshed } from '../api/useRefreshed.js';
import { AddressFaults } from '../components/addressFaults.js';
import { LinkButton } from '../components/button.js';
import { EmptyState } from '../components/emptyState.js';
import { FailureNotice } from '../components/failureNotice.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SkeletonRows } from '../components/skeleton.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { everyTenant, isTenantFilter } from '../navigation/tenantIds.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi, useMay } from '../session/session.js';
import { healthRefreshMs, readWebhooks, type KnownWebhooks, type WebhookSelection } from './webhookList.js';
import { useWebhooks } from './webhookNames.js';
import { WebhookFilters, WebhookTable } from './webhookTable.js';

export function WebhooksPage() {
  const address = useAddress();
  const may = useMay('developer');
  const [parameters, change] = useParameters();
  const tenant = parameters.get('tenant');
  const [after, before] = [parameters.get('after'), parameters.get('before')];
  const selection = useMemo(() => selectionOf(tenant, after, before), [tenant, after, before]);
  const isFaulty = tenant !== null && selection.tenantId === undefined;
  const add = may && (
    <LinkButton kind="primary" icon={Plus} href={address('/webhooks/new')}>
      Add webhook
    </LinkButton>
  );
  return (
    <PageFrame
      title="Webhooks"
      lede="The URLs to which the service delivers events."
      turn={after ?? before ?? ''}
      actions={add}
    >
      <AddressFaults
        faults={isFaulty ? [`tenant=${tenant}`] : []}
        onRemove={() => {
          change({ tenant: null });
        }}
      />
      {Object.keys(selection).length === 0 ? <NewestWebhooks /> : <SelectedWebhooks selection={selection} />}
    </PageFrame>
  );
}

/** The page of the list that the address selects. */
function selectionOf(tenantId: string | null, after: string | null, before: string | null): WebhookSelection {
  return {
    ...(tenantId !== null && isValidFilter(tenantId) ? { tenantId } : {}),
    ...(after === null ? {} : { startingAfter: after }),
    ...(before === null ? {} : { endingBefore: before }),
  };
}

function isValidFilter(tenantId: string): boolean {
  return tenantId === everyTenant || isTenantFilter(tenantId);
}

/** The newest webhooks, which the dashboard has loaded already for their names. */
function NewestWebhooks() {
  return <WebhookList webhooks={useWebhooks()} selection={{}} />;
}

function SelectedWebhooks({ selection }: { readonly selection: WebhookSelection }) {
  const api = useApi();
  const load = useCallback(
    (signal: AbortSignal) => readWebhooks(api, selection, { withHealth: true, signal }),
    [api, selection],
  );
  return <WebhookList webhooks={useRefreshed(load, () => healthRefreshMs)} selection={selection} />;
}

interface WebhookListProps {
  readonly webhooks: Loaded<KnownWebhooks>;
  readonly selection: WebhookSelection;
}

function WebhookList({ webhooks, selection }: WebhookListProps) {
  const { url } = useLocation();
  const { tenantId, startingAfter = null, endingBefore = null } = selection;
  const isPaged = startingAfter !== null || endingBefore !== null;
  return (
    <LoadedContent of={webhooks} waiting={<SkeletonRows count={5} what="webhooks" />}>
      {(known) =>
        known.data.length === 0 ? (
          <>
            {(isPaged || tenantId !== undefined) && <WebhookFilters isWhole={false} />}
            <NoWebhooks isPaged={isPaged} isFiltered={tenantId !== undefined} />
          </>
        ) : (
          <>
            <FailureNotice failure={known.healthFailure} onRetry={webhooks.reload} />
            <WebhookTable
              known={known}
              isPresent={!webhooks.isOutdated}
              isWhole={!known.hasMore && !isPaged}
            />
            <Pager links={pageLinks(url, known, { startingAfter, endingBefore })} />
          </>
        )
      }
    </LoadedContent>
  );
}

interface NoWebhooksProps {
  readonly isPaged: boolean;
  readonly isFiltered: boolean;
}

function NoWebhooks({ isPaged, isFiltered }: NoWebhooksProps) {
  const address = useAddress();
  const may = useMay('developer');
  if (isPaged) {
    return (
      <EmptyState
        icon={WebhookIcon}
        title="No older webhooks"
        actions={<LinkButton href={address('/webhooks')}>Show newest webhooks</LinkButton>}
      >
        <p>This page is the end of the list of webhooks.</p>
      </EmptyState>
    );
  }
  if (isFiltered) {
    return (
      <EmptyState icon={WebhookIcon} title="No webhook has this tenant">
        <p>Enter the id of another tenant, null for webhooks without a tenant, or * for every tenant.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={WebhookIcon}
      title="No webhooks yet"
      actions={
        may && (
          <LinkButton kind="primary" icon={Plus} href={address('/webhooks/new')}>
            Add webhook
          </LinkButton>
        )
      }
    >
      <p>
        A webhook is a URL that receives your events. The service signs each delivery and retries failed
        deliveries.
      </p>
    </EmptyState>
  );
}
