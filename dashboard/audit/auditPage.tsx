import { ScrollText } from 'lucide';
import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { AuditEntry, List } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { actionText, actorText, valueText } from './auditText.js';

const limit = 25;

export function AuditPage() {
  const api = useApi();
  const { url } = useLocation();
  const [parameters] = useParameters();
  const after = parameters.get('after');
  const before = parameters.get('before');
  const load = useCallback(
    (signal: AbortSignal): Promise<List<AuditEntry>> => {
      const cursor = {
        ...(after === null ? {} : { startingAfter: after }),
        ...(before === null ? {} : { endingBefore: before }),
      };
      return answerOf(api.GET('/v1/audit-log', { params: { query: { limit, ...cursor } }, signal }));
    },
    [api, after, before],
  );
  const log = useLoaded(load);
  return (
    <PageFrame
      title="Audit log"
      lede="Changes and sign-ins of the account’s users and API keys."
      turn={after ?? before ?? ''}
    >
      <LoadedContent of={log} waiting={<SkeletonRows count={10} what="the audit log" />}>
        {(page) => (
          <>
            <AuditTable entries={page.data} />
            <Pager links={pageLinks(url, page, { startingAfter: after, endingBefore: before })} />
          </>
        )}
      </LoadedContent>
    </PageFrame>
  );
}

const columns: readonly Column<AuditEntry>[] = [
  {
    name: 'Action',
    isMain: true,
    cell: ({ action, resource }) => (
      <>
        <strong>{actionText(action)}</strong>
        <span class="under">
          <Identifier id={resource.id} what="id" />
        </span>
      </>
    ),
  },
  { name: 'By', cell: ({ actor, client }) => <Actor actor={actor} client={client} /> },
  { name: 'Changes', cell: ({ changes }) => <Changes changes={changes} /> },
  { name: 'From', cell: ({ client }) => <Client client={client} /> },
  { name: 'When', isNumber: true, cell: ({ at }) => <Time at={at} /> },
];

function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  if (entries.length === 0) {
    return (
      <EmptyState icon={ScrollText} title="The audit log has no entries yet">
        <p>
          The audit log shows changes, sign-ins, the first and rejected uses of API keys, resends, test events
          and replays.
        </p>
      </EmptyState>
    );
  }
  return (
    <div class="card card-table">
      <DataTable caption="Actions, newest first" columns={columns} rows={entries} keyOf={({ id }) => id} />
    </div>
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
      {client.userAgent !== null && <span class="under quiet small">{client.userAgent}</span>}
    </span>
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
          <span class="quiet">{field}</span> {from !== null && <del>{valueText(from)}</del>}{' '}
          <ins>{valueText(to)}</ins>
        </li>
      ))}
    </ul>
  );
}
