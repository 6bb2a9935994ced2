import { Plus, Shapes } from 'lucide';
import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { ListedEventType } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { LinkButton } from '../components/button.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { EmptyState } from '../components/emptyState.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { Pager } from '../components/pager.js';
import { SkeletonRows } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { pageLinks } from '../navigation/pageLinks.js';
import { useAddress } from '../navigation/useMode.js';
import { useParameters } from '../navigation/useParameters.js';
import { useApi, useMay } from '../session/session.js';
import { DeprecatedBadge, eventCountText, ValidationBadge } from './validationBadge.js';
import { newTypePlace } from './places.js';

const pageSize = 50;

/** The list of event types, with the events of the last seven days. */
export function TypesPage() {
  const api = useApi();
  const address = useAddress();
  const may = useMay('developer');
  const { url } = useLocation();
  const [parameters] = useParameters();
  const [startingAfter, endingBefore] = [parameters.get('after'), parameters.get('before')];
  const load = useCallback(
    (signal: AbortSignal) => {
      const cursors = {
        ...(startingAfter === null ? {} : { startingAfter }),
        ...(endingBefore === null ? {} : { endingBefore }),
      };
      const query = { limit: pageSize, fields: 'summary', include: 'usage', ...cursors } as const;
      return answerOf(api.GET('/v1/event-types', { params: { query }, signal }));
    },
    [api, startingAfter, endingBefore],
  );
  const types = useLoaded(load);
  const add = may && (
    <LinkButton kind="primary" icon={Plus} href={address(newTypePlace)}>
      Add event type
    </LinkButton>
  );
  return (
    <PageFrame
      title="Event types"
      lede="The events that your customers can expect, with their schemas."
      actions={add}
      turn={startingAfter ?? endingBefore ?? ''}
    >
      <LoadedContent of={types} waiting={<SkeletonRows count={5} what="event types" />}>
        {({ data, hasMore }) =>
          data.length === 0 ? (
            <EmptyState icon={Shapes} title="No event types yet" actions={add}>
              <p>
                An event type describes the data of its events with a JSON Schema. The API can check each
                posted event.
              </p>
            </EmptyState>
          ) : (
            <>
              <div class="card card-table">
                <DataTable caption="Event types" columns={columns} rows={data} keyOf={({ name }) => name} />
              </div>
              <Pager
                links={pageLinks(
                  url,
                  { data: data.map(({ name }) => ({ id: name })), hasMore },
                  { startingAfter, endingBefore },
                )}
              />
            </>
          )
        }
      </LoadedContent>
    </PageFrame>
  );
}

const columns: readonly Column<ListedEventType>[] = [
  { name: 'Name', isMain: true, cell: (type) => <TypeName type={type} /> },
  { name: 'Validation', cell: ({ validation }) => <ValidationBadge validation={validation} /> },
  {
    name: 'Events of 7 days',
    isNumber: true,
    cell: ({ usage }) => (usage === undefined ? 'Unknown' : eventCountText(usage)),
  },
  { name: 'Changed', isNumber: true, isMinor: true, cell: ({ updated }) => <Time at={updated} /> },
];

function TypeName({ type: { name, description, deprecated } }: { readonly type: ListedEventType }) {
  const address = useAddress();
  return (
    <>
      <a class="row-link breakable" href={address(`/event-types/${name}`)}>
        {name}
      </a>
      {deprecated && (
        <>
          {' '}
          <DeprecatedBadge />
        </>
      )}
      {description !== null && <span class="under quiet small clamp">{description}</span>}
    </>
  );
}
