import { Eye } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { CodeBlock } from '../components/codeBlock.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { webhookTitle } from '../components/shownName.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { useFoundWebhook, useWebhooks } from '../webhooks/webhookNames.js';
import { EventFields } from './eventFields.js';
import { bodyOfEvent, faultsOfEvent, knownTypes, type EventInput } from './eventInput.js';
import { FilterTrial } from './filterTrial.js';
import { eventPreviewIn, outcomeText, requestText, type EventPreview } from './previewText.js';

/** A page that shows whether a webhook gets an event, and the request that it would get. It sends nothing. */
export function PreviewPage({ id }: PageProps) {
  const address = useAddress();
  const { webhook, isDeleted } = useFoundWebhook(id);
  const { failure, reload } = useWebhooks();
  return (
    <PageFrame
      title="Preview event"
      back={{ href: address(`/webhooks/${id}`), text: 'Webhook' }}
      lede={
        <span class="breakable">
          The request that {webhook === null ? id : webhookTitle(webhook)} would get. It is not sent.
        </span>
      }
    >
      <FailureNotice failure={failure} onRetry={reload} />
      {webhook === null ? (
        isDeleted && <Notice kind="warn">The webhook does not exist, or was deleted.</Notice>
      ) : (
        <>
          <PreviewForm webhook={webhook} />
          <section aria-labelledby="filter-heading" class="card card-text">
            <h2 id="filter-heading">Try a filter</h2>
            <FilterTrial webhook={webhook} />
          </section>
        </>
      )}
    </PageFrame>
  );
}

/** An event with its preview. */
interface Previewed {
  readonly input: EventInput;
  readonly preview: EventPreview;
}

function PreviewForm({ webhook }: { readonly webhook: Webhook }) {
  const api = useApi();
  const types = knownTypes(webhook.events);
  const [input, setInput] = useState<EventInput>(() => ({ type: types[0] ?? '', data: '{}' }));
  const [wasTried, setTried] = useState(false);
  const [preview, setPreview] = useState<Previewed | null>(null);
  // A preview belongs to the event that was previewed, not to the event that the user enters since.
  const shown = preview?.input === input ? preview.preview : null;
  const show = useAction(async () => {
    setTried(true);
    const faults = faultsOfEvent(input);
    if (faults.type !== null || faults.data !== null) {
      return;
    }
    setPreview(null);
    const params = { path: { id: webhook.id } };
    const body = bodyOfEvent(input, ownTenant(webhook));
    const call = api.POST('/v1/webhooks/{id}/preview', { params, body: {}, bodySerializer: () => body });
    setPreview({ input, preview: eventPreviewIn(await answerOf(call)) });
  });
  return (
    <div class="form-and-result">
      <div class="card card-text">
        <Form onSubmit={show.run}>
          <EventFields
            input={input}
            onChange={setInput}
            types={types}
            wasTried={wasTried}
            failure={show.failure}
          />
          <div class="form-actions">
            <Button type="submit" kind="primary" icon={Eye} isBusy={show.isRunning}>
              Show request
            </Button>
          </div>
        </Form>
      </div>
      <section aria-labelledby="preview-heading" class="card card-text">
        <h2 id="preview-heading">Preview</h2>
        {shown === null ? <p class="quiet">The request appears here.</p> : <Shown preview={shown} />}
      </section>
    </div>
  );
}

/** The tenant of the events that the webhook gets, or null. */
function ownTenant({ tenantId }: Pick<Webhook, 'tenantId'>): string | null {
  return tenantId === '*' ? null : tenantId;
}

function Shown({ preview }: { readonly preview: EventPreview }) {
  const { matches, request } = preview;
  return (
    <>
      <div role="status">
        <Notice kind={matches ? 'good' : 'warn'}>
          <span class="breakable">{outcomeText(preview)}</span>
        </Notice>
      </div>
      <CodeBlock isWrapped what="request" text={requestText(request)} />
      <p class="quiet small">Signatures and credentials are masked.</p>
    </>
  );
}
