import { Filter } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { TextArea } from '../components/textArea.js';
import { Time } from '../components/time.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { faultOfFilter, filterText } from '../webhooks/filterRules.js';
import { historyPreviewIn, trialBody, trialText, type HistoryPreview } from './previewText.js';

const oneWeekMs = 7 * 24 * 60 * 60 * 1000;

/** A filter with its result. */
interface Tried {
  readonly filter: string;
  readonly preview: HistoryPreview;
}

/** A form that tries a filter on the events of the last week, and changes nothing. */
export function FilterTrial({ webhook }: { readonly webhook: Webhook }) {
  const api = useApi();
  const [filter, setFilter] = useState(() => filterText(webhook.filter));
  const [wasTried, setTried] = useState(false);
  const [result, setResult] = useState<Tried | null>(null);
  // A result belongs to the filter that was tried, not to the filter that the user enters since.
  const shown = result?.filter === filter ? result.preview : null;
  const fault = faultOfFilter(filter);
  const run = useAction(async () => {
    setTried(true);
    if (fault !== null) {
      return;
    }
    setResult(null);
    const params = { path: { id: webhook.id } };
    const body = trialBody(filter, new Date(Date.now() - oneWeekMs));
    const call = api.POST('/v1/webhooks/{id}/preview', { params, body: {}, bodySerializer: () => body });
    setResult({ filter, preview: historyPreviewIn(await answerOf(call)) });
  });
  return (
    <>
      <Form onSubmit={run.run}>
        <TextArea
          label="Filter"
          rows={6}
          value={filter}
          onInput={setFilter}
          placeholder={'{"data": {"amount": {"$gte": 100}}}'}
          hint="The filter is tried on the events of the last week that have the types and the tenant of the webhook. The webhook keeps its own filter."
          error={wasTried ? fault : null}
        />
        <FailureNotice failure={run.failure} />
        <div class="form-actions">
          <Button type="submit" icon={Filter} isBusy={run.isRunning}>
            Try filter
          </Button>
        </div>
      </Form>
      <p role="status">{shown === null ? '' : trialText(shown)}</p>
      {shown !== null && shown.samples.length > 0 && <Samples samples={shown.samples} />}
    </>
  );
}

function Samples({ samples }: Pick<HistoryPreview, 'samples'>) {
  const address = useAddress();
  return (
    <ul class="reasons">
      {samples.map(({ eventId, type, created, matches, condition }) => (
        <li key={eventId} class="breakable">
          {matches ? 'Delivered' : 'Left out'}: <a href={address(`/events/${eventId}`)}>{type}</a>,{' '}
          <Time at={created} />
          {condition !== null && (
            <>
              {' '}
              because of <code>{condition}</code>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
