import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { ApiKeyWithSecret } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { CodeBlock } from '../components/codeBlock.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { SecretOnce } from '../components/secretOnce.js';
import { TextField } from '../components/textField.js';
import { useTimeTexts } from '../components/zone.js';
import { curlForEvent } from '../events/curl.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useSession } from '../session/session.js';
import { useWebhooks } from '../webhooks/webhookNames.js';
import { ScopeChoice } from './scopeChoice.js';
import type { Scope } from './scopes.js';

interface CreateKeyProps {
  /** The tenant of the key; null for a key of the account. */
  readonly tenantId: string | null;
  readonly onCreated: () => void;
  readonly onClose: () => void;
}

export function CreateKey({ tenantId, onCreated, onClose }: CreateKeyProps) {
  const api = useApi();
  const mode = useMode();
  const { account } = useSession();
  const times = useTimeTexts();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly Scope[] | null>(null);
  const [expiry, setExpiry] = useState('');
  const [made, setMade] = useState<ApiKeyWithSecret | null>(null);
  const create = useAction(async () => {
    const body = {
      name: name.trim(),
      mode,
      tenantId,
      scopes: scopes === null ? null : [...scopes],
      expiresAt: times.ofField(expiry)?.toISOString() ?? null,
    };
    setMade(await answerOf(api.POST('/v1/api-keys', { body })));
    onCreated();
  });
  if (made !== null) {
    return <MadeKey made={made} onClose={onClose} />;
  }
  return (
    <Dialog title={`Create a ${mode} key`} onClose={onClose}>
      <Form onSubmit={create.run}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          placeholder="Shop, production"
          hint="Enter the name of the program that uses the key."
          maxLength={100}
          required
        />
        {tenantId === null ? (
          <ScopeChoice isAvailable={account.plan === 'enterprise'} scopes={scopes} onChange={setScopes} />
        ) : (
          <p class="quiet">The key has access to the webhooks and events of this tenant only.</p>
        )}
        <TextField
          label={`Expiry (${times.zoneText})`}
          type="datetime-local"
          value={expiry}
          onInput={setExpiry}
          min={times.field(new Date())}
          hint="The expiry is optional. Without a date, the key never expires."
          isOptional
        />
        <FailureNotice failure={create.failure} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isRunning}>
            Create key
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

function MadeKey({ made, onClose }: { readonly made: ApiKeyWithSecret; readonly onClose: () => void }) {
  const mayPost = made.scopes === null || made.scopes.includes('events:write');
  return (
    <Dialog title="Your new key" onClose={onClose} isDismissible={false}>
      <SecretOnce secret={made.secret} what="API key">
        {mayPost && (
          <>
            <h3>Try it: post an event</h3>
            <CodeBlock what="command" text={curlForEvent(location.origin, made.secret)} />
            {made.tenantId === null && <NextStep />}
          </>
        )}
      </SecretOnce>
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I have copied the key
        </Button>
      </div>
    </Dialog>
  );
}

/** A hint that a key alone delivers no events, because deliveries need a webhook. */
function NextStep() {
  const mode = useMode();
  const address = useAddress();
  const webhooks = useWebhooks().value;
  if (mode === 'test' || webhooks === null || webhooks.data.length > 0) {
    return null;
  }
  return (
    <p class="quiet">
      To deliver events, <a href={address('/webhooks/new')}>add a webhook</a> next.
    </p>
  );
}
