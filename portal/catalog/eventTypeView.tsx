import { useCallback } from 'preact/hooks';

import { elementTexts } from '../../dashboard/api/jsonText.js';
import { useLoaded } from '../../dashboard/api/useLoaded.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { Notice } from '../../dashboard/components/notice.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { readType, type LoadedType } from '../../dashboard/eventTypes/typeResource.js';
import { JsonView } from '../../dashboard/events/jsonView.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';

/** An event type: its meaning, examples of its data, and its schema. */
export function EventTypeView({ name }: { readonly name: string }) {
  const api = useApi();
  const load = useCallback((signal: AbortSignal) => readType(api, name, signal), [api, name]);
  const type = useLoaded(load);
  return (
    <ViewFrame
      title={name}
      back={{ href: linkTo('event-types'), text: 'Event types' }}
      lede={type.value?.eventType.description}
    >
      <LoadedContent of={type} waiting={<SkeletonBox size="large" what="the event type" />}>
        {(loaded) => <Details loaded={loaded} />}
      </LoadedContent>
    </ViewFrame>
  );
}

function Details({ loaded: { eventType, schemaText, examplesText } }: { readonly loaded: LoadedType }) {
  const exampleTexts = elementTexts(examplesText);
  return (
    <div class="portal-parts">
      {eventType.deprecated && (
        <Notice kind="warn">This type is deprecated. Do not use it for new endpoints.</Notice>
      )}
      {exampleTexts.map((text, index) => (
        <section key={index} aria-labelledby={`example-${index}`}>
          <h2 id={`example-${index}`}>{exampleTexts.length === 1 ? 'Example' : `Example ${index + 1}`}</h2>
          <JsonView text={text} what={`example ${index + 1}`} />
        </section>
      ))}
      {schemaText !== '' && (
        <section aria-labelledby="schema-heading">
          <h2 id="schema-heading">Schema of the data</h2>
          <JsonView text={schemaText} what="schema" />
        </section>
      )}
      {schemaText === '' && exampleTexts.length === 0 && (
        <p class="quiet">This type has neither examples nor a schema.</p>
      )}
      <p>
        <a href="#/verify">How to verify an event</a>
      </p>
    </div>
  );
}
