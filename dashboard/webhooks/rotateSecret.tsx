import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { SecretOnce } from '../components/secretOnce.js';
import { SelectField } from '../components/selectField.js';
import { useApi } from '../session/session.js';

/** Seconds for which the secret before goes on signing. */
const periods = [
  ['86400', 'For a day'],
  ['604800', 'For a week'],
  ['3600', 'For an hour'],
  ['0', 'Not at all: it may be known to others'],
] as const;

type Period = (typeof periods)[number][0];

export function RotateSecret({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const api = useApi();
  const [period, setPeriod] = useState<Period>('86400');
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAction(async () => {
    const params = { path: { id: webhook.id } };
    const body = { expiresIn: Number(period) };
    setSecret((await answerOf(api.POST('/v1/webhooks/{id}/rotate-secret', { params, body }))).secret);
  });
  if (secret !== null) {
    return (
      <Dialog title="The new signing secret" onClose={onClose} isDismissible={false}>
        <SecretOnce secret={secret} what="signing secret" />
        <div class="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Rotate the signing secret" onClose={onClose}>
      <div class="dialog-text">
        <p>
          You get a new secret. While the one before signs too, each request has both signatures, so the
          receiver can change over without missing anything.
        </p>
        <SelectField
          label="The one before goes on signing"
          value={period}
          options={periods}
          onChange={setPeriod}
        />
      </div>
      <FailureNotice failure={rotate.failure} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={rotate.isRunning} onClick={rotate.run}>
          Rotate secret
        </Button>
      </div>
    </Dialog>
  );
}
