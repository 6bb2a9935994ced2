import { Terminal } from 'lucide';
import { useState } from 'preact/hooks';

import type { Attempt } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { CodeBlock } from '../components/codeBlock.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { TextField } from '../components/textField.js';
import { faultOfSecret } from '../webhooks/secretRules.js';
import { faultOfUrl } from '../webhooks/webhookRules.js';
import { localCurl, maskedValue } from './localCurl.js';
import { formatOfAttempt, sentBody, type SentEvent } from './sentRequest.js';

const defaultUrl = 'http://127.0.0.1:4000/webhooks';

interface CopyAsCurlProps {
  readonly sent: SentEvent;
  /** The stored headers of the attempt, or null if the service has not stored them. */
  readonly requestHeaders: Attempt['requestHeaders'];
}

/** A button that creates a curl command, which sends the request to a receiver on the user's machine. */
export function CopyAsCurl(props: CopyAsCurlProps) {
  const [isOpen, setOpen] = useState(false);
  if (formatOfAttempt(props.sent, props) === 'cloudevents') {
    // The page does not know the attributes of the CloudEvent.
    return null;
  }
  return (
    <>
      <Button icon={Terminal} isSmall onClick={() => setOpen(true)}>
        Copy as curl
      </Button>
      {isOpen && (
        <Dialog title="Send to a local receiver" onClose={() => setOpen(false)}>
          {/* Browsers omit the cryptography on pages without TLS. */}
          {window.isSecureContext ? <CurlForm {...props} /> : <NeedsTls />}
        </Dialog>
      )}
    </>
  );
}

function NeedsTls() {
  return (
    <Notice kind="warn">
      <p>
        The browser signs requests only on pages with <code>https:</code> and on <code>localhost</code>. Open
        the dashboard with <code>https:</code>.
      </p>
    </Notice>
  );
}

/** A command with the fields from which it was created. */
interface Created {
  readonly fields: { readonly url: string; readonly secret: string };
  readonly command: string;
}

function CurlForm({ sent, requestHeaders }: CopyAsCurlProps) {
  const [fields, setFields] = useState<Created['fields']>({ url: defaultUrl, secret: '' });
  const [wasTried, setTried] = useState(false);
  const [created, setCreated] = useState<Created | null>(null);
  // A command belongs to the fields of its creation, not to those that the user enters since.
  const command = created?.fields === fields ? created.command : null;
  const { url, secret } = fields;
  const faults = { url: faultOfUrl(url), secret: faultOfSecret(secret) };
  const create = useAction(async () => {
    setTried(true);
    setCreated(null);
    if (faults.url === null && faults.secret === null) {
      const timestampSeconds = Math.floor(Date.now() / 1000);
      const body = sentBody(sent, formatOfAttempt(sent, { requestHeaders })) ?? '';
      const request = { url, id: sent.event.id, timestampSeconds, body, requestHeaders };
      setCreated({ fields, command: await localCurl({ ...request, secret: secret.trim() }) });
    }
  });
  return (
    <Form onSubmit={create.run}>
      <TextField
        label="Local address"
        isCode
        type="url"
        value={url}
        onInput={(typed) => setFields({ ...fields, url: typed })}
        error={wasTried ? faults.url : null}
        required
      />
      <TextField
        label="Signing secret"
        isCode
        type="password"
        value={secret}
        onInput={(typed) => setFields({ ...fields, secret: typed })}
        autoComplete="off"
        hint="The secret of the webhook or of your local receiver. The secret does not leave the browser."
        error={wasTried ? faults.secret : null}
        required
      />
      <FailureNotice failure={create.failure} />
      <div class="form-actions">
        <Button type="submit" kind="primary" isBusy={create.isRunning}>
          Create command
        </Button>
      </div>
      {command !== null && (
        <>
          <CodeBlock what="command" text={command} />
          <p class="quiet small">
            The signature has the present time. Receivers usually reject a signature that is older than 5
            minutes. {command.includes(maskedValue) && 'Replace *** by the credentials of your receiver.'}
          </p>
        </>
      )}
    </Form>
  );
}
