import { ShieldCheck } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Api } from '../api/client.js';
import { failureOf } from '../api/failure.js';
import { memberText } from '../api/jsonText.js';
import type { Event, Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { TextArea } from '../components/textArea.js';
import { TextField } from '../components/textField.js';
import { sentBody } from '../events/sentRequest.js';
import { useApi } from '../session/session.js';
import { checkRequest, eventIdIn, type Finding, type ReceivedRequest } from './signatureCheck.js';

const headerExample = ['webhook-id: evt_…', 'webhook-timestamp: 1795243601', 'webhook-signature: v1,…'].join(
  '\n',
);
const nothing: ReceivedRequest = { headers: '', body: '', secret: '' };
const missing = 404;

interface SignatureFormProps {
  /** The end of the webhook's current signing secret, or null if it is unknown. */
  readonly last4: string | null;
  readonly format: Webhook['format'];
}

/** A form that checks the signature of a request in the browser. */
export function SignatureForm(props: SignatureFormProps) {
  // Browsers omit the cryptography on pages without TLS.
  return window.isSecureContext ? (
    <CheckForm {...props} />
  ) : (
    <Notice kind="warn">
      The browser checks signatures only on pages with <code>https:</code> and on <code>localhost</code>. Open
      the dashboard with <code>https:</code>.
    </Notice>
  );
}

function CheckForm({ last4, format }: SignatureFormProps) {
  const api = useApi();
  const [request, setRequest] = useState(nothing);
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const change = (changed: Partial<ReceivedRequest>) => {
    setFindings([]);
    setRequest({ ...request, ...changed });
  };
  const check = useAction(async () => {
    setFindings([]);
    const sent = await readSentBody(api, eventIdIn(request.headers), format);
    const found = await checkRequest(request, { now: new Date(), sentBody: sent.body, last4 });
    setFindings([...found, ...sent.findings]);
  });
  return (
    <Form onSubmit={check.run}>
      <p>
        Enter a request as the receiver has received it. The check runs in this browser, which sends neither
        the secret nor the body.
      </p>
      <TextField
        label="Signing secret"
        isCode
        type="password"
        value={request.secret}
        onInput={(secret) => change({ secret })}
        autoComplete="off"
        placeholder="whsec_…"
        hint={
          last4 === null
            ? 'The secret in the configuration of the receiver.'
            : `The current secret ends with ${last4}.`
        }
      />
      <TextArea
        label="Headers"
        rows={4}
        value={request.headers}
        onInput={(headers) => change({ headers })}
        placeholder={headerExample}
        hint="One header per line, or a JSON object. Other headers are ignored."
      />
      <TextArea
        label="Body"
        rows={6}
        value={request.body}
        onInput={(body) => change({ body })}
        placeholder='{"id":"evt_…","type":"order.completed","timestamp":"…","data":{…}}'
        hint="The body as the receiver verifies it."
      />
      <FailureNotice failure={check.failure} />
      <div class="form-actions">
        <Button type="submit" kind="primary" icon={ShieldCheck} isBusy={check.isRunning}>
          Check signature
        </Button>
      </div>
      <Findings findings={findings} />
    </Form>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <div role="status" class="findings">
      {findings.map(({ kind, title, text }) => (
        <Notice key={title} kind={kind}>
          <p>
            <strong>{title}</strong> <span class="breakable">{text}</span>
          </p>
        </Notice>
      ))}
    </div>
  );
}

interface SentBody {
  readonly body: string | null;
  readonly findings: readonly Finding[];
}

/** The body that the service has sent, if it is known, so that the check can name a change of the body. */
async function readSentBody(api: Api, id: string | null, format: Webhook['format']): Promise<SentBody> {
  if (id === null || id === '' || format === 'cloudevents') {
    return { body: null, findings: [] };
  }
  try {
    const params = { path: { id } };
    const text = await answerOf(api.GET('/v1/events/{id}', { params, parseAs: 'text' }));
    const sent = { event: JSON.parse(text) as Event, dataText: memberText(text, 'data') ?? '{}' };
    return { body: sentBody(sent, format), findings: [] };
  } catch (thrown) {
    return { body: null, findings: [unknownEvent(id, failureOf(thrown).status)] };
  }
}

function unknownEvent(id: string, status: number): Finding {
  return status === missing
    ? {
        kind: 'warn',
        title: 'The event is unknown.',
        text: `No event of this account and mode has the id ${id}. It has expired, or the request is for another account.`,
      }
    : {
        kind: 'warn',
        title: 'The event could not be loaded.',
        text: 'The check therefore cannot compare the body with the sent body. Try again in a moment.',
      };
}
