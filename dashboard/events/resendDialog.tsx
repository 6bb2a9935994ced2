import { Send } from 'lucide';
import { useCallback, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf, countIn } from '../api/answer.js';
import { useAction } from '../api/useAction.js';
import { useLoaded, type Loaded } from '../api/useLoaded.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { SelectField } from '../components/selectField.js';
import { webhookTitle } from '../components/shownName.js';
import { TextField } from '../components/textField.js';
import { counted, countText } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import {
  onlyOptions,
  replayRequest,
  type Only,
  type OnlyOption,
  type ResentEvents,
} from './resendRequest.js';

interface ResendDialogProps {
  readonly events: ResentEvents;
  /** The webhook of the list's filter, or null. */
  readonly webhookId: string | null;
  readonly onClose: () => void;
}

/** A dialog that resends events to one webhook. Its button names the number of events that the service has counted. */
export function ResendDialog({ events, webhookId, onClose }: ResendDialogProps) {
  const isLong = useWebhooks().value?.hasMore === true;
  return (
    <Dialog title="Resend events" onClose={onClose}>
      {isLong ? (
        <ResendForm events={events} preset={webhookId ?? unchosen} webhooks={null} onClose={onClose} />
      ) : (
        <ResendToListed events={events} webhookId={webhookId} onClose={onClose} />
      )}
    </Dialog>
  );
}

function ResendToListed({ events, webhookId, onClose }: ResendDialogProps) {
  const webhooks = (useWebhooks().value?.data ?? []).filter(({ status }) => status === 'active');
  const options = webhooks.map((webhook) => [webhook.id, webhookTitle(webhook)] as const);
  const preset = webhooks.length === 1 ? webhooks[0] : webhooks.find(({ id }) => id === webhookId);
  return webhooks.length === 0 ? (
    <p>No webhook is active. Add or enable a webhook first.</p>
  ) : (
    <ResendForm
      events={events}
      preset={preset?.id ?? unchosen}
      webhooks={preset === undefined ? [[unchosen, 'Choose a webhook'], ...options] : options}
      onClose={onClose}
    />
  );
}

/** The value of the field for the webhook before the user has chosen one of several webhooks. */
const unchosen = '';
const webhookIdForm = /^wh_\w{26}$/;

interface ResendFormProps {
  readonly events: ResentEvents;
  /** The webhook that is chosen first. */
  readonly preset: string;
  /** The webhooks to choose from, or null if the account has too many webhooks to list them. */
  readonly webhooks: readonly (readonly [id: string, title: string])[] | null;
  readonly onClose: () => void;
}

function ResendForm({ events, preset, webhooks, onClose }: ResendFormProps) {
  const options = onlyOptions(events);
  const [entered, setEntered] = useState(preset);
  const webhookId = webhookIdForm.test(entered) ? entered : unchosen;
  const [only, setOnly] = useState<Only>(options[0]?.[0] ?? 'undelivered');
  const counting = useCount(events, webhookId, only);
  const send = useSend(webhookId, onClose);
  const count = counting.isStale ? null : counting.value;
  const sendable = sendableCount(counting);
  return (
    <Form
      onSubmit={() => {
        if (sendable !== null) {
          send.run(sendable.request);
        }
      }}
    >
      <WebhookField webhooks={webhooks} value={entered} onChange={setEntered} />
      <OnlyField options={options} only={only} onChange={setOnly} />
      <p role="status">{counting.failure === null && statusText(webhookId, events, count)}</p>
      <FailureNotice failure={counting.failure} onRetry={counting.reload} />
      <FailureNotice failure={send.failure} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        {sendable !== null && (
          <Button type="submit" kind="primary" icon={Send} isBusy={send.isRunning}>
            Send {sendable.complete ? '' : 'more than '}
            {counted(sendable.matched, 'event')}
          </Button>
        )}
      </div>
    </Form>
  );
}

/** The count whose events can be sent, or null without events or without a present count. */
function sendableCount({ value, isStale, failure }: Loaded<Counted | null>): Counted | null {
  return value !== null && value.matched > 0 && !isStale && failure === null ? value : null;
}

interface WebhookFieldProps extends Pick<ResendFormProps, 'webhooks'> {
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function WebhookField({ webhooks, value, onChange }: WebhookFieldProps) {
  return webhooks === null ? (
    <TextField
      label="Webhook id"
      value={value}
      onInput={(typed) => onChange(typed.trim())}
      placeholder="wh_…"
      hint="The page of a webhook shows its id."
      isCode
      required
    />
  ) : (
    <SelectField label="Webhook" value={value} options={webhooks} onChange={onChange} />
  );
}

interface OnlyFieldProps {
  readonly options: readonly OnlyOption[];
  readonly only: Only;
  readonly onChange: (only: Only) => void;
}

function OnlyField({ options, only, onChange }: OnlyFieldProps) {
  return (
    <fieldset class="choices">
      <legend>Deliveries</legend>
      {options.map(([each, text, effect]) => (
        <label key={each} class="choice">
          <input
            type="radio"
            name="resend-only"
            checked={each === only}
            onChange={() => {
              onChange(each);
            }}
          />
          <span>
            {text}
            <span class="quiet small under">{effect}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A replay whose events the service has counted. The same replay is sent. */
interface Counted {
  readonly request: ReturnType<typeof replayRequest>;
  readonly matched: number;
  /** Whether all events were counted. */
  readonly complete: boolean;
}

/** The number of events that a resend would send, by a dry run. */
function useCount(events: ResentEvents, webhookId: string, only: Only) {
  const api = useApi();
  const [openedAt] = useState(() => new Date());
  const load = useCallback(
    async (signal: AbortSignal): Promise<Counted | null> => {
      if (webhookId === unchosen) {
        return null;
      }
      const request = replayRequest(events, webhookId, only, openedAt);
      const body = { ...request, dryRun: true };
      const { matched, complete, until } = countIn(await answerOf(api.POST('/v1/replays', { body, signal })));
      // The end of the count leaves out events that were posted since.
      return { request: 'since' in request ? { ...request, until } : request, matched, complete };
    },
    [api, events, webhookId, only, openedAt],
  );
  return useLoaded(load);
}

function useSend(webhookId: string, onClose: () => void) {
  const api = useApi();
  const address = useAddress();
  const announce = useAnnounce();
  const { route } = useLocation();
  return useAction(async (body: Counted['request']) => {
    await answerOf(api.POST('/v1/replays', { body }));
    announce('The resend has started. The list of replays shows its progress.');
    onClose();
    route(address(`/webhooks/${webhookId}/recover`));
  });
}

function statusText(webhookId: string, events: ResentEvents, count: Counted | null): string {
  if (webhookId === unchosen) {
    return 'Choose the webhook that gets the events.';
  }
  return count === null ? 'Counting events …' : countedText(events, count);
}

function countedText(events: ResentEvents, { matched, complete }: Counted): string {
  if (!complete) {
    return `More than ${counted(matched, 'event')}. The service stopped counting.`;
  }
  if (events.kind === 'chosen') {
    return `${countText(matched)} of ${counted(events.ids.length, 'selected event')} match. The service leaves out test events, and events of types that the webhook does not subscribe to.`;
  }
  return matched === 0 ? 'No event matches.' : `${counted(matched, 'event')} in the filters of the list.`;
}
