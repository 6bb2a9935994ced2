import { Send } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Replay } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { TextField } from '../components/textField.js';
import { counted, fieldTime } from '../components/timeText.js';
import { useApi } from '../session/session.js';
import { typesIn } from '../webhooks/webhookRules.js';
import { OnlyChoice, type Only } from './onlyChoice.js';

interface ReplayFormProps {
  readonly webhookId: string;
  readonly onStarted: (replay: Replay) => void;
}

const dayMs = 24 * 60 * 60 * 1000;

interface Fields {
  readonly since: string;
  readonly until: string;
  readonly only: Only;
  readonly types: string;
}

/**
 * A form that starts a replay. The form counts the events first, so that its button names the number of events to send.
 */
export function ReplayForm({ webhookId, onStarted }: ReplayFormProps) {
  const [fields, setFields] = useState<Fields>(() => ({
    since: fieldTime(new Date(Date.now() - dayMs)),
    until: '',
    only: 'failed',
    types: '',
  }));
  const { matched, forget, count, send } = useReplay(() => bodyOf(webhookId, fields), onStarted);
  const change = (changed: Partial<Fields>) => {
    forget();
    setFields({ ...fields, ...changed });
  };
  return (
    <div class="card card-text narrow">
      <Form onSubmit={count.run}>
        <ReplayFields fields={fields} onChange={change} />
        <FailureNotice failure={count.failure ?? send.failure} />
        <div class="form-actions">
          <Button type="submit" isBusy={count.isRunning} kind={matched === null ? 'primary' : 'secondary'}>
            Count events
          </Button>
          {matched !== null && matched > 0 && (
            <Button kind="primary" icon={Send} isBusy={send.isRunning} onClick={send.run}>
              Send {counted(matched, 'event')}
            </Button>
          )}
          <span role="status">{matched !== null && matchText(matched)}</span>
        </div>
      </Form>
    </div>
  );
}

function matchText(matched: number): string {
  return matched === 0 ? 'No events match.' : `${counted(matched, 'event')} found.`;
}

interface ReplayFieldsProps {
  readonly fields: Fields;
  readonly onChange: (changed: Partial<Fields>) => void;
}

function ReplayFields({ fields: { since, until, only, types }, onChange }: ReplayFieldsProps) {
  return (
    <>
      <div class="field-row">
        <TextField
          label="From"
          type="datetime-local"
          value={since}
          onInput={(typed) => onChange({ since: typed })}
          required
        />
        <TextField
          label="To"
          type="datetime-local"
          value={until}
          onInput={(typed) => onChange({ until: typed })}
          hint="The end is optional. Without an end, the replay includes all events until now."
          isOptional
        />
      </div>
      <OnlyChoice only={only} onChange={(chosen) => onChange({ only: chosen })} />
      <TextField
        label="Event types"
        value={types}
        onInput={(typed) => onChange({ types: typed })}
        placeholder="order.completed, user.signup"
        hint="Event types are optional. Without types, the replay includes every type that the webhook subscribes to."
        isCode
        isOptional
      />
    </>
  );
}

function bodyOf(webhookId: string, { since, until, only, types }: Fields) {
  return {
    webhookId,
    since: new Date(since).toISOString(),
    ...(until === '' ? {} : { until: new Date(until).toISOString() }),
    ...(typesIn(types).length === 0 ? {} : { types: [...typesIn(types)] }),
    only,
  };
}

/** The actions of the replay form. A count of events is valid only for the field values of its request. */
function useReplay(body: () => ReturnType<typeof bodyOf>, onStarted: (replay: Replay) => void) {
  const api = useApi();
  const announce = useAnnounce();
  const [matched, setMatched] = useState<number | null>(null);
  const count = useAction(async () => {
    const answer = await answerOf(api.POST('/v1/replays', { body: { ...body(), dryRun: true } }));
    setMatched(answer.matched);
  });
  const send = useAction(async () => {
    const answer = await answerOf(api.POST('/v1/replays', { body: body() }));
    if ('id' in answer) {
      onStarted(answer);
    }
    setMatched(null);
    announce('The replay has started. The list of replays shows its progress.');
  });
  const forget = () => {
    setMatched(null);
  };
  return { matched, forget, count, send };
}
