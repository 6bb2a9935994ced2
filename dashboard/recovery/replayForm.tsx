import { Send } from 'lucide';
import { useEffect, useState } from 'preact/hooks';

import { answerOf, isReplay } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction, type Action } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { TextField } from '../components/textField.js';
import { counted } from '../components/timeText.js';
import type { TimeTexts } from '../components/timeZone.js';
import { useTimeTexts } from '../components/zone.js';
import { knownRange, ranges } from '../navigation/ranges.js';
import { useParameters } from '../navigation/useParameters.js';
import { ConfirmReplay } from '../replays/confirmReplay.js';
import { countOrOffer, type CountedReplay, type ReplayRequest } from '../replays/countedReplay.js';
import type { StartedReplay } from '../replays/replayList.js';
import { useApi } from '../session/session.js';
import { typesIn } from '../webhooks/webhookRules.js';
import { OnlyChoice, type Only } from './onlyChoice.js';

interface ReplayFormProps {
  readonly webhook: Webhook;
  readonly onEnabled: () => void;
  readonly onStarted: (started: StartedReplay) => void;
}

interface Fields {
  readonly since: string;
  readonly until: string;
  readonly only: Only;
  readonly types: string;
}

/**
 * A form that starts a replay. The form counts the events first, so that its button names the number of events to send.
 */
export function ReplayForm(props: ReplayFormProps) {
  const { webhook } = props;
  const { id: webhookId, created } = webhook;
  const isDisabled = webhook.status === 'disabled';
  const [parameters] = useParameters();
  const times = useTimeTexts();
  const within = knownRange(parameters.get('within'));
  const [fields, setFields] = useState<Fields>(() => ({
    since: times.field(within === null ? new Date(created) : new Date(Date.now() - ranges[within].lengthMs)),
    until: '',
    only: 'undelivered',
    types: '',
  }));
  const replay = useReplay((now) => bodyOf(webhookId, fields, now, times), props);
  const change = (changed: Partial<Fields>) => {
    replay.forget();
    setFields({ ...fields, ...changed });
  };
  return (
    <div class="card card-text narrow">
      <Form onSubmit={replay.count.run}>
        <ReplayFields fields={fields} onChange={change} />
        <ReplayActions replay={replay} isDisabled={isDisabled} />
      </Form>
      {replay.isAsking && replay.found !== null && (
        <ConfirmReplay
          webhook={webhook}
          replays={[replay.found]}
          maybeProcessed={0}
          onStarted={(started) => {
            replay.forget();
            props.onStarted(started);
          }}
          onClose={() => replay.setAsking(false)}
        />
      )}
    </div>
  );
}

interface ReplayActionsProps {
  readonly replay: ReplayActionsOf;
  readonly isDisabled: boolean;
}

function ReplayActions({ replay, isDisabled }: ReplayActionsProps) {
  const { found, count, send, setAsking } = replay;
  const times = useTimeTexts();
  const failure = count.failure ?? send.failure;
  return (
    <>
      <FailureNotice failure={failure} />
      <div class="form-actions">
        <Button type="submit" isBusy={count.isRunning} kind={found === null ? 'primary' : 'secondary'}>
          Count events
        </Button>
        {found !== null && (
          <SendButton
            found={found}
            isBusy={send.isRunning}
            isDisabled={isDisabled}
            onSend={() => {
              if (found.duplicates === 0 || isDisabled) {
                send.run(found);
              } else {
                setAsking(true);
              }
            }}
          />
        )}
        <span role="status">{found !== null && matchText(found, times)}</span>
      </div>
    </>
  );
}

interface SendButtonProps {
  readonly found: CountedReplay;
  readonly isBusy: boolean;
  readonly isDisabled: boolean;
  readonly onSend: () => void;
}

function SendButton({ found, isBusy, isDisabled, onSend }: SendButtonProps) {
  return found.matched === 0 ? null : (
    <Button kind="primary" icon={Send} isBusy={isBusy} onClick={onSend}>
      {isDisabled ? 'Enable webhook and send' : 'Send'} {found.complete ? '' : 'more than '}
      {counted(found.matched, 'event')}
    </Button>
  );
}

const nothingFound = {
  failed: 'No failed or canceled deliveries',
  missing: 'No events without a delivery',
  all: 'No events',
  open: 'No open deliveries',
  undelivered: 'Nothing undelivered',
} as const;

function matchText(
  { matched, complete, isOffer = false, body: { only, since, until } }: CountedReplay,
  times: TimeTexts,
): string {
  const from = times.minute(new Date(since));
  if (isOffer) {
    const number = `${complete ? '' : 'More than '}${counted(matched, 'is', 'are')}`;
    const them = matched === 1 ? 'it' : 'them';
    return `${nothingFound.failed} since ${from}. ${number} being retried: retry ${them} now?`;
  }
  if (!complete) {
    return `More than ${counted(matched, 'event')}. The range contains too many events to count all.`;
  }
  if (matched > 0) {
    return `${counted(matched, 'event')} found, posted until ${times.minute(new Date(until))}.`;
  }
  return `${nothingFound[only]} since ${from}.`;
}

interface ReplayFieldsProps {
  readonly fields: Fields;
  readonly onChange: (changed: Partial<Fields>) => void;
}

function ReplayFields({ fields: { since, until, only, types }, onChange }: ReplayFieldsProps) {
  const { zoneText } = useTimeTexts();
  return (
    <>
      <div class="field-row">
        <TextField
          label={`From (${zoneText})`}
          type="datetime-local"
          value={since}
          onInput={(typed) => onChange({ since: typed })}
          required
        />
        <TextField
          label={`To (${zoneText})`}
          type="datetime-local"
          value={until}
          onInput={(typed) => onChange({ until: typed })}
          hint="Empty means now: the time at which you count the events."
          isOptional
        />
      </div>
      <OnlyChoice only={only} onChange={(chosen) => onChange({ only: chosen })} />
      <TextField
        label="Event types"
        value={types}
        onInput={(typed) => onChange({ types: typed })}
        placeholder="order.completed, user.signup"
        hint="Without types, the replay includes every type that the webhook subscribes to."
        isCode
        isOptional
      />
    </>
  );
}

/** The replay that the fields select. An empty end becomes the present time, so that the counted events are sent. */
function bodyOf(webhookId: string, { since, until, only, types }: Fields, now: Date, times: TimeTexts) {
  return {
    webhookId,
    since: (times.ofField(since) ?? now).toISOString(),
    until: (times.ofField(until) ?? now).toISOString(),
    ...(typesIn(types).length === 0 ? {} : { types: [...typesIn(types)] }),
    only,
  };
}

interface ReplayActionsOf {
  readonly found: CountedReplay | null;
  /** Whether the user must confirm duplicates before the events are sent. */
  readonly isAsking: boolean;
  readonly setAsking: (isAsking: boolean) => void;
  readonly forget: () => void;
  readonly count: Action<void>;
  readonly send: Action<CountedReplay>;
}

/** The actions of the replay form. A count of events is valid only for the field values of its request. */
function useReplay(
  bodyAt: (now: Date) => ReplayRequest,
  { webhook: { id: webhookId, status }, onEnabled, onStarted }: ReplayFormProps,
): ReplayActionsOf {
  const isDisabled = status === 'disabled';
  const api = useApi();
  const announce = useAnnounce();
  const [found, setFound] = useState<CountedReplay | null>(null);
  const [isAsking, setAsking] = useState(false);
  const count = useAction(async () => {
    setFound(await countOrOffer(api, bodyAt(new Date())));
  });
  const send = useAction(async ({ body, matched, complete }: CountedReplay) => {
    if (isDisabled) {
      const params = { path: { id: webhookId } };
      await answerOf(api.PATCH('/v1/webhooks/{id}', { params, body: { status: 'active' } }));
      onEnabled();
    }
    const answer = await answerOf(api.POST('/v1/replays', { body }));
    if (isReplay(answer)) {
      onStarted({ replay: answer, confirmed: complete ? matched : null });
    }
    setFound(null);
    announce('The replay has started.');
  });
  const { run } = count;
  useEffect(() => {
    // The number of missed events is the reason why the user opens the page of a disabled webhook.
    if (isDisabled) {
      run();
    }
  }, [isDisabled, run]);
  const forget = () => {
    setFound(null);
  };
  return { found, isAsking, setAsking, forget, count, send };
}
