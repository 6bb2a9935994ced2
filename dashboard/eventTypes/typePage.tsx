import { useCallback, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import { elementTexts } from '../api/jsonText.js';
import type { EventTypeUsage } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useLoaded } from '../api/useLoaded.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { CodeBlock } from '../components/codeBlock.js';
import { Confirmation } from '../components/confirmation.js';
import { DataTable, type Column } from '../components/dataTable.js';
import { Dialog } from '../components/dialog.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { Rollout } from './rollout.js';
import { TypeForm } from './typeForm.js';
import { fieldsOf, putType, readType, type LoadedType, type TypeFields } from './typeResource.js';
import { DeprecatedBadge, eventCountText, ValidationBadge } from './validationBadge.js';

/** The page of an event type: its validation, its usage, its schema and its examples. */
export function TypePage({ id: name }: PageProps) {
  const api = useApi();
  const address = useAddress();
  const may = useMay('developer');
  const load = useCallback((signal: AbortSignal) => readType(api, name, signal), [api, name]);
  const loaded = useLoaded(load);
  const type = loaded.value;
  return (
    <PageFrame
      title={name}
      heading={<span class="breakable">{name}</span>}
      back={{ href: address('/event-types'), text: 'Event types' }}
      lede={type !== null && <TypeFacts loaded={type} />}
      actions={may && type !== null && <TypeActions loaded={type} onChanged={loaded.reload} />}
    >
      <LoadedContent of={loaded} waiting={<SkeletonBox size="large" what="the event type" />}>
        {(value) => (
          <>
            <Rollout loaded={value} may={may} onChanged={loaded.reload} />
            <Usage name={name} />
            <section class="card card-text" aria-label="Schema">
              <h2>Schema</h2>
              {value.schemaText === '' ? (
                <p class="quiet">This event type has no schema.</p>
              ) : (
                <CodeBlock text={value.schemaText} what="schema" label="JSON Schema of the data" />
              )}
            </section>
            <Examples text={value.examplesText} />
          </>
        )}
      </LoadedContent>
    </PageFrame>
  );
}

function TypeFacts({ loaded: { eventType } }: { readonly loaded: LoadedType }) {
  const { description, validation, deprecated, updated } = eventType;
  return (
    <>
      {description !== null && <p>{description}</p>}
      <p>
        <ValidationBadge validation={validation} /> {deprecated && <DeprecatedBadge />} Changed{' '}
        <Time at={updated} />
      </p>
    </>
  );
}

function Examples({ text }: { readonly text: string }) {
  const examples = elementTexts(text);
  return (
    <section class="card card-text" aria-label="Examples">
      <h2>Examples</h2>
      {examples.length === 0 ? (
        <p class="quiet">This event type has no examples.</p>
      ) : (
        examples.map((example, index) => (
          <CodeBlock key={index} text={example} what={`example ${String(index + 1)}`} />
        ))
      )}
    </section>
  );
}

type Day = EventTypeUsage['data'][number];

const dayColumns: readonly Column<Day>[] = [
  { name: 'Day (UTC)', isMain: true, cell: ({ day }) => day },
  { name: 'Events', isNumber: true, cell: eventCountText },
];

function Usage({ name }: { readonly name: string }) {
  const api = useApi();
  const load = useCallback(
    (signal: AbortSignal) =>
      answerOf(api.GET('/v1/event-types/{name}/usage', { params: { path: { name } }, signal })),
    [api, name],
  );
  const usage = useLoaded(load);
  return (
    <section class="card card-text" aria-label="Usage">
      <h2>Usage</h2>
      <LoadedContent of={usage} waiting={<SkeletonBox size="small" what="the usage" />}>
        {({ data, lastEventAt }) => (
          <>
            <p>
              {lastEventAt === null ? (
                'There are no stored events of this type.'
              ) : (
                <>
                  Last event: <Time at={lastEventAt} />
                </>
              )}
            </p>
            <DataTable
              caption="Events of the last seven days"
              columns={dayColumns}
              rows={data.toReversed()}
              keyOf={({ day }) => day}
            />
          </>
        )}
      </LoadedContent>
    </section>
  );
}

interface TypeActionsProps {
  readonly loaded: LoadedType;
  readonly onChanged: () => void;
}

function TypeActions({ loaded, onChanged }: TypeActionsProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = () => {
    setOpen(null);
  };
  return (
    <>
      <Button
        onClick={() => {
          setOpen('edit');
        }}
      >
        Edit event type
      </Button>
      <Button
        kind="danger"
        onClick={() => {
          setOpen('delete');
        }}
      >
        Delete event type
      </Button>
      {open === 'edit' && <EditType loaded={loaded} onChanged={onChanged} onClose={close} />}
      {open === 'delete' && <DeleteType name={loaded.eventType.name} onClose={close} />}
    </>
  );
}

function EditType({ loaded, onChanged, onClose }: TypeActionsProps & { readonly onClose: () => void }) {
  const api = useApi();
  const announce = useAnnounce();
  const { name } = loaded.eventType;
  const save = useAction(async (fields: TypeFields) => {
    await putType(api, name, fields);
    announce('The event type was changed.');
    onChanged();
    onClose();
  });
  return (
    <Dialog title="Edit event type" onClose={onClose}>
      <TypeForm
        initial={fieldsOf(loaded)}
        name={null}
        deed="Save event type"
        isRunning={save.isRunning}
        failure={save.failure}
        onSubmit={(_name, fields) => {
          save.run(fields);
        }}
      />
    </Dialog>
  );
}

function DeleteType({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const api = useApi();
  const address = useAddress();
  const { route } = useLocation();
  return (
    <Confirmation
      title="Delete event type"
      deed="Delete event type"
      isDangerous
      onConfirm={async () => {
        await answerOf(api.DELETE('/v1/event-types/{name}', { params: { path: { name } } }));
        route(address('/event-types'));
      }}
      onClose={onClose}
    >
      <p>The API no longer checks events of the type {name}. Stored events remain.</p>
    </Confirmation>
  );
}
