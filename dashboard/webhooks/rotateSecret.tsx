import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { SecretOnce } from '../components/secretOnce.js';
import { SelectField } from '../components/selectField.js';
import { SecretField } from './secretField.js';
import { faultOfImportedSecret } from './secretRules.js';
import { textOrNull } from './webhookRules.js';

/** The number of seconds for which the old secret also signs requests. */
const periods = [
  ['86400', '1 day'],
  ['604800', '1 week'],
  ['3600', '1 hour'],
  ['0', 'No overlap (if the old secret may have leaked)'],
] as const;

type Period = (typeof periods)[number][0];

interface RotateSecretProps {
  readonly api: Api;
  readonly webhook: Pick<Webhook, 'id'>;
  readonly onClose: () => void;
}

/** A dialog that gives a webhook a new secret, and shows the secret once. */
export function RotateSecret({ api, webhook, onClose }: RotateSecretProps) {
  const [period, setPeriod] = useState<Period>('86400');
  const [secret, setSecret] = useState<string | null>(null);
  const [imported, setImported] = useState('');
  const [wasTried, setTried] = useState(false);
  const fault = faultOfImportedSecret(imported);
  const rotate = useAction(async () => {
    const params = { path: { id: webhook.id } };
    const given = textOrNull(imported);
    const body = { expiresIn: Number(period), ...(given !== null && { secret: given }) };
    setSecret((await answerOf(api.POST('/v1/webhooks/{id}/rotate-secret', { params, body }))).secret);
  });
  const submit = () => {
    setTried(true);
    if (fault === null) {
      rotate.run();
    }
  };
  if (secret !== null) {
    return (
      <Dialog title="New signing secret" onClose={onClose} isDismissible={false}>
        <SecretOnce secret={secret} what="signing secret" />
        <div class="dialog-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied the secret
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Rotate signing secret" onClose={onClose}>
      <div class="dialog-text">
        <p>
          A new signing secret is created. During the overlap, each request has one signature with the old
          secret and one with the new secret. So the receiver can change to the new secret without missing an
          event.
        </p>
        <SelectField label="Overlap with old secret" value={period} options={periods} onChange={setPeriod} />
        <SecretField text={imported} onInput={setImported} error={wasTried ? fault : null} />
      </div>
      <FailureNotice failure={rotate.failure} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={rotate.isRunning} onClick={submit}>
          Rotate secret
        </Button>
      </div>
    </Dialog>
  );
}
