import { ScrollText } from 'lucide';
import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { AuditEntry, List, Searched } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { AddressFaults } from '../components/addressFaults.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SearchedLine } from '../components/searchedLine.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { counted } from '../components/timeText.js';
import { ExportButton, exportLimit, withoutPage } from '../export/exportButton.js';
import { changesWithout } from '../navigation/changedAddress.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { pageSize } from '../navigation/pageSize.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { WebhookLink } from '../webhooks/webhookLink.js';
import { NamesFailure } from '../webhooks/namesFailure.js';
import { AuditedResource, ResourceNames } from './auditedResource.js';
import { AuditFilterBar } from './auditFilterBar.js';
import { auditFaults, auditQuery, isAuditFiltered } from './auditFilters.js';
import { actionText, actorText, fieldText, idsIn, isTime, valueText } from './auditText.js';

const columnsOfEntries = ['id', 'at', 'actor', 'action', 'resource', 'changes', 'client'];

/** A page of the audit log. `searched` is present if the API has ended the page early. */
interface AuditLog extends List<AuditEntry> {
  readonly searched?: Searched | undefined;
}

export function AuditPage() {
  const api = useApi();
  const [parameters, change] = useParameters();
  const text = parameters.toString();
  const load = useCallback(
    (signal: AbortSignal): Promise<AuditLog> => {
      const query = { limit: pageSize(), ...auditQuery(new URLSearchParams(text), new Date()) };
      return answerOf(api.GET('/v1/audit-log', { params: { query }, signal }));
    },
    [api, text],
  );
  const read = (after: string | null): Promise<string> => {
    const first = auditQuery(withoutPage(parameters), new Date());
    const query = { ...first, limit: exportLimit, ...(after === null ? {} : { startingAfter: after }) };
    return answerOf(api.GET('/v1/audit-log', { params: { query }, parseAs: 'text' }));
  };
  const log = useLoaded(load);
  return (
    <PageFrame
      title="Audit log"
      lede="Changes, resends, replays and sign-ins of the account’s users and API keys."
      turn={parameters.get('after') ?? parameters.get('before') ?? ''}
      actions={<ExportButton what="audit log" columns={columnsOfEntries} read={read} />}
    >
      <AddressFaults
        faults={auditFaults(parameters)}
        onRemove={() => {
          change(changesWithout(auditFaults(parameters)));
        }}
      />
      <ResourceNames>
        <NamesFailure />
        <AuditFilterBar />
        <p class="hidden" role="status">
          {log.isStale || log.value === null ? '' : `${counted(log.value.data.length, 'entry', 'entries')}.`}
        </p>
        <LoadedContent of={log} waiting={<SkeletonRows count={10} what="the audit log" />}>
          {(page) => <AuditEntries page={page} />}
        </LoadedContent>
      </ResourceNames>
    </PageFrame>
  );
}

function AuditEntries({ page }: { readonly page: AuditLog }) {
  const { url } = useLocation();
  const [parameters] = useParameters();
  const cursors = { startingAfter: parameters.get('after'), endingBefore: parameters.get('before') };
  return (
    <>
      <SearchedLine searched={page.searched} what="entries" isFull={page.data.length >= pageSize()} />
      {page.data.length === 0 ? (
        <NoEntries isFiltered={isAuditFiltered(parameters)} hasMore={page.hasMore} />
      ) : (
        <div class="card card-table">
          <DataTable
            caption="Actions, newest first"
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

const columns: readonly Column<AuditEntry>[] = [
  {
    name: 'Action',
    isMain: true,
    cell: ({ action, resource }) => (
      <>
        <strong>{actionText(action)}</strong>
        <AuditedResource resource={resource} />
      </>
    ),
  },
  { name: 'By', cell: ({ actor, client }) => <Actor actor={actor} client={client} /> },
  { name: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
  { name: 'From', isMinor: true, cell: ({ client }) => <Client client={client} /> },
  { name: 'When', isNumber: true, cell: ({ at }) => <Time at={at} /> },
];

interface NoEntriesProps {
  readonly isFiltered: boolean;
  /** Whether the search has not reached the end of the audit log. */
  readonly hasMore: boolean;
}

function NoEntries({ isFiltered, hasMore }: NoEntriesProps) {
  if (hasMore) {
    return (
      <EmptyState icon={ScrollText} title="No entry found so far">
        <p>The search has stopped after a second. Older entries were not searched yet.</p>
      </EmptyState>
    );
  }
  return isFiltered ? (
    <EmptyState icon={ScrollText} title="No entry matches these filters">
      <p>Remove a filter, or extend the time range, to see more entries.</p>
    </EmptyState>
  ) : (
    <EmptyState icon={ScrollText} title="The audit log has no entries yet">
      <p>
        The audit log shows changes, sign-ins, the first and rejected uses of API keys, resends, test events
        and replays.
      </p>
    </EmptyState>
  );
}

function Actor(entry: Pick<AuditEntry, 'actor' | 'client'>) {
  const { kind, name } = actorText(entry);
  return (
    <span class="actor breakable">
      {name}
      {kind !== null && <span class="under quiet small">{kind}</span>}
    </span>
  );
}

/** The network and the program of the client that caused an audit entry. */
function Client({ client }: Pick<AuditEntry, 'client'>) {
  if (client === null) {
    return <span class="quiet">–</span>;
  }
  return (
    <span class="breakable">
      {client.network}
      {client.userAgent !== null && <span class="under clamp quiet small">{client.userAgent}</span>}
    </span>
  );
}

interface ChangedValueProps {
  readonly field: string;
  readonly value: AuditEntry['changes'][string]['to'];
}

function ChangedValue({ field, value }: ChangedValueProps) {
  const ids = idsIn(value);
  if (ids !== null) {
    return (
      <>
        {ids.map((id) => (
          <ResourceLink key={id} id={id} />
        ))}
      </>
    );
  }
  if (!isTime(value)) {
    return <>{valueText(value, field)}</>;
  }
  // A replay of all events starts at the beginning of Unix time.
  return Date.parse(value) === 0 ? <>the first event</> : <Time at={value} />;
}

/** The name of a webhook or the id of an event, as a link. */
function ResourceLink({ id }: { readonly id: string }) {
  const address = useAddress();
  return id.startsWith('wh_') ? (
    <WebhookLink id={id} />
  ) : (
    <a class="breakable" href={address(`/events/${id}`)}>
      {id}
    </a>
  );
}

function Changes({ changes }: Pick<AuditEntry, 'changes'>) {
  const fields = Object.entries(changes);
  if (fields.length === 0) {
    return <span class="quiet">–</span>;
  }
  return (
    <ul class="changes">
      {fields.map(([field, { from, to }]) => (
        <li key={field} class="breakable">
          <span class="quiet">{fieldText(field)}</span>{' '}
          {from !== null && (
            <del>
              <ChangedValue field={field} value={from} />
            </del>
          )}{' '}
          <ins>
            <ChangedValue field={field} value={to} />
          </ins>
        </li>
      ))}
    </ul>
  );
}
