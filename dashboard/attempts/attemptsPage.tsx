import { ArrowLeftRight } from 'lucide';
import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Attempt, List, Searched } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { AddressFaults } from '../components/addressFaults.js';
import { AttemptBadge } from '../components/attemptBadge.js';
import { AttemptLink } from '../components/attemptLink.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SearchedLine } from '../components/searchedLine.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { durationText } from '../components/timeText.js';
import { exportLimit, ExportButton, withoutPage } from '../export/exportButton.js';
import { changesWithout } from '../navigation/changedAddress.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { pageSize } from '../navigation/pageSize.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi } from '../session/session.js';
import { WebhookLink } from '../webhooks/webhookLink.js';
import { NamesFailure } from '../webhooks/namesFailure.js';
import { attemptFaults, attemptQuery } from './attemptFilters.js';
import { AttemptFilterBar } from './attemptFilterBar.js';

const columnsOfAttempts = [
  'id',
  'eventId',
  'webhookId',
  'number',
  'trigger',
  'status',
  'statusCode',
  'error',
  'durationMs',
  'requests',
  'url',
  'attemptedAt',
  'requestHeaders',
  'responseHeaders',
  'responseBody',
  'responseTruncated',
];

/** A page of attempts. `searched` is present if the API has ended the page early. */
interface AttemptList extends List<Attempt> {
  readonly searched?: Searched | undefined;
}

/** The requests to all webhooks, newest first. */
export function AttemptsPage() {
  const api = useApi();
  const { url } = useLocation();
  const [parameters, change] = useParameters();
  const text = parameters.toString();
  const load = useCallback(
    (signal: AbortSignal): Promise<AttemptList> => {
      const query = { limit: pageSize(), ...attemptQuery(new URLSearchParams(text), new Date()) };
      return answerOf(api.GET('/v1/attempts', { params: { query }, signal }));
    },
    [api, text],
  );
  const read = (after: string | null): Promise<string> => {
    const first = attemptQuery(withoutPage(parameters), new Date());
    const query = { ...first, limit: exportLimit, ...(after === null ? {} : { startingAfter: after }) };
    return answerOf(api.GET('/v1/attempts', { params: { query }, parseAs: 'text' }));
  };
  const attempts = useLoaded(load);
  const cursors = { startingAfter: parameters.get('after'), endingBefore: parameters.get('before') };
  return (
    <PageFrame
      title="Attempts"
      lede="The requests to all webhooks."
      turn={cursors.startingAfter ?? cursors.endingBefore ?? ''}
      actions={<ExportButton what="attempts" columns={columnsOfAttempts} read={read} />}
    >
      <AddressFaults
        faults={attemptFaults(parameters)}
        onRemove={() => {
          change(changesWithout(attemptFaults(parameters)));
        }}
      />
      <NamesFailure />
      <AttemptFilterBar />
      <LoadedContent of={attempts} waiting={<SkeletonRows count={10} what="attempts" />}>
        {(page) => (
          <>
            <SearchedLine searched={page.searched} what="attempts" isFull={page.data.length >= pageSize()} />
            <AttemptTable attempts={page.data} hasMore={page.hasMore} />
            <Pager links={pageLinks(url, page, cursors)} />
          </>
        )}
      </LoadedContent>
    </PageFrame>
  );
}

interface AttemptTableProps {
  readonly attempts: readonly Attempt[];
  /** Whether the search has not reached the end of the list. */
  readonly hasMore: boolean;
}

function AttemptTable({ attempts, hasMore }: AttemptTableProps) {
  const address = useAddress();
  if (attempts.length === 0 && hasMore) {
    return (
      <EmptyState icon={ArrowLeftRight} title="No attempt found so far">
        <p>The search has stopped after a second. Older attempts were not searched yet.</p>
      </EmptyState>
    );
  }
  const columns: readonly Column<Attempt>[] = [
    {
      name: 'Attempt',
      isMain: true,
      cell: (attempt) => (
        <>
          <AttemptLink attempt={attempt} />
          <span class="under small">
            <a href={address(`/events/${attempt.eventId}`)}>
              <Identifier id={attempt.eventId} />
            </a>
          </span>
          {attempt.error !== null && <span class="under quiet small clamp">{attempt.error.message}</span>}
        </>
      ),
    },
    { name: 'Webhook', cell: ({ webhookId }) => <WebhookLink id={webhookId} /> },
    { name: 'Result', cell: (attempt) => <AttemptBadge attempt={attempt} /> },
    { name: 'Took', isNumber: true, cell: ({ durationMs }) => durationText(durationMs) },
    { name: 'At', isNumber: true, cell: ({ attemptedAt }) => <Time at={attemptedAt} /> },
  ];
  return attempts.length === 0 ? (
    <EmptyState icon={ArrowLeftRight} title="No attempt matches these filters">
      <p>Remove a filter, or extend the time range, to see more attempts.</p>
    </EmptyState>
  ) : (
    <div class="card card-table">
      <DataTable caption="Attempts, newest first" columns={columns} rows={attempts} keyOf={({ id }) => id} />
    </div>
  );
}
