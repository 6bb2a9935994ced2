import { ExternalLink } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { CreatedPortalSession, Tenant } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { Button } from '../components/button.js';
import { CopyButton } from '../components/copyButton.js';
import { Dialog } from '../components/dialog.js';
import { FailureNotice } from '../components/failureNotice.js';
import { Form } from '../components/form.js';
import { Icon } from '../components/icon.js';
import { SelectField } from '../components/selectField.js';
import { Time } from '../components/time.js';
import { useApi } from '../session/session.js';
import { tenantTitle } from './tenantFields.js';

const readOnly = ['webhooks:read', 'events:read'] as const;

const accesses = [
  ['read', 'Read only'],
  ['full', 'Everything that the customer can do'],
] as const;

type Access = (typeof accesses)[number][0];

const periods = [
  ['900', '15 minutes'],
  ['3600', '1 hour'],
  ['28800', '8 hours'],
] as const;

type Period = (typeof periods)[number][0];

interface OpenPortalProps {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}

/**
 * A dialog that opens a portal session of a tenant, so that the user sees what the customer sees. The dialog then has a
 * link, because browsers block a new tab that a page opens after a request.
 */
export function OpenPortal({ tenant, onClose }: OpenPortalProps) {
  const api = useApi();
  const [access, setAccess] = useState<Access>('read');
  const [period, setPeriod] = useState<Period>('900');
  const [session, setSession] = useState<CreatedPortalSession | null>(null);
  const create = useAction(async () => {
    const capabilities = access === 'read' ? { capabilities: [...readOnly] } : {};
    const body = { expiresIn: Number(period), ...capabilities };
    const params = { path: { id: tenant.id } };
    setSession(await answerOf(api.POST('/v1/tenants/{id}/portal-sessions', { params, body })));
  });
  if (session !== null) {
    return <OpenedPortal session={session} onClose={onClose} />;
  }
  return (
    <Dialog title="Open customer portal" onClose={onClose}>
      <Form onSubmit={create.run}>
        <p>
          You see the portal of <strong class="breakable">{tenantTitle(tenant)}</strong> as the customer does.
          The audit log records the session.
        </p>
        <SelectField label="Access" value={access} options={accesses} onChange={setAccess} />
        <SelectField label="Valid for" value={period} options={periods} onChange={setPeriod} />
        <FailureNotice failure={create.failure} />
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={create.isRunning}>
            Create session
          </Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface OpenedPortalProps {
  readonly session: CreatedPortalSession;
  readonly onClose: () => void;
}

function OpenedPortal({ session: { url, expiresAt }, onClose }: OpenedPortalProps) {
  return (
    <Dialog title="The session is ready" onClose={onClose}>
      <p>
        The link signs in without a password until <Time at={expiresAt} />. Give it only to users of this
        customer.
      </p>
      <div class="dialog-actions">
        <Button onClick={onClose}>Close</Button>
        <CopyButton text={url} what="link" isLabeled />
        <a class="button button-primary" href={url} target="_blank" rel="noopener noreferrer">
          <Icon of={ExternalLink} />
          <span>Open portal in a new tab</span>
        </a>
      </div>
    </Dialog>
  );
}
