import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { SelectField } from '../components/selectField.js';
import { TextField } from '../components/textField.js';
import { useTimeTexts } from '../components/zone.js';
import { useApi } from '../session/session.js';
import { mutedUntil } from './webhookText.js';

const hourMs = 60 * 60 * 1000;

const periods = [
  ['1', '1 hour'],
  ['4', '4 hours'],
  ['24', '1 day'],
  ['168', '1 week'],
  ['own', 'Until a time'],
] as const;

type Period = (typeof periods)[number][0];

interface MuteWebhookProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** A dialog that mutes the trouble of a webhook until a time, or ends the mute. */
export function MuteWebhook({ webhook, onChanged, onClose }: MuteWebhookProps) {
  const api = useApi();
  const announce = useAnnounce();
  const times = useTimeTexts();
  const [period, setPeriod] = useState<Period>('4');
  const [own, setOwn] = useState(() => times.field(new Date(Date.now() + 24 * hourMs)));
  const isMuted = mutedUntil(webhook, new Date()) !== null;
  const change = useAction(async (until: Date | null) => {
    const params = { path: { id: webhook.id } };
    const body = { mutedUntil: until === null ? null : until.toISOString() };
    await answerOf(api.PATCH('/v1/webhooks/{id}', { params, body }));
    announce(until === null ? 'The webhook is no longer muted.' : 'The webhook is muted.');
    onChanged();
    onClose();
  });
  const submit = () => {
    change.run(period === 'own' ? times.ofField(own) : new Date(Date.now() + Number(period) * hourMs));
  };
  return (
    <Dialog title="Mute trouble" onClose={onClose}>
      <Form onSubmit={submit}>
        <p>
          The overview lists the trouble of a muted webhook apart. Deliveries and retries continue. A webhook
          can be muted for at most 30 days.
        </p>
        <SelectField label="Mute for" value={period} options={periods} onChange={setPeriod} />
        {period === 'own' && (
          <TextField
            label={`Muted until (${times.zoneText})`}
            type="datetime-local"
            value={own}
            onInput={setOwn}
            required
          />
        )}
        <FailureNotice failure={change.failure} />
        <div class="dialog-actions">
          {isMuted && (
            <Button isBusy={change.isRunning} onClick={() => change.run(null)}>
              End mute
            </Button>
          )}
          <Button type="submit" kind="primary" isBusy={change.isRunning}>
            Mute webhook
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}
