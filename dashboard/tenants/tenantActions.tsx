import { DoorClosed, ExternalLink, KeyRound, Pencil, Trash } from 'lucide';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Tenant } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Button, LinkButton } from '../components/button.js';
import { Confirmation } from '../components/confirmation.js';
import { counted } from '../components/timeText.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { EditTenant } from './changeTenant.js';
import { OpenPortal } from './openPortal.js';
import { tenantTitle } from './tenantFields.js';

type Open = 'portal' | 'end' | 'edit' | 'delete';

interface TenantActionsProps {
  readonly tenant: Tenant;
  readonly onChanged: () => void;
}

/** The actions of owners on a tenant. */
export function TenantActions({ tenant, onChanged }: TenantActionsProps) {
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => {
    setOpen(null);
  };
  const address = useAddress();
  if (!useMay('owner')) {
    return null;
  }
  return (
    <>
      <LinkButton icon={KeyRound} href={address(`/api-keys?tenant=${tenant.id}`)}>
        API keys
      </LinkButton>
      <Button icon={ExternalLink} onClick={() => setOpen('portal')}>
        Open portal
      </Button>
      <Button icon={DoorClosed} onClick={() => setOpen('end')}>
        End portal sessions
      </Button>
      <Button icon={Pencil} onClick={() => setOpen('edit')}>
        Edit tenant
      </Button>
      <Button icon={Trash} kind="danger" onClick={() => setOpen('delete')}>
        Delete tenant
      </Button>
      {open === 'portal' && <OpenPortal tenant={tenant} onClose={close} />}
      {open === 'end' && <EndSessions tenant={tenant} onClose={close} />}
      {open === 'edit' && <EditTenant tenant={tenant} onChanged={onChanged} onClose={close} />}
      {open === 'delete' && <DeleteTenant tenant={tenant} onClose={close} />}
    </>
  );
}

interface ConfirmedProps {
  readonly tenant: Tenant;
  readonly onClose: () => void;
}

function EndSessions({ tenant, onClose }: ConfirmedProps) {
  const api = useApi();
  const announce = useAnnounce();
  return (
    <Confirmation
      title="End all portal sessions?"
      deed="End sessions"
      onClose={onClose}
      onConfirm={async () => {
        const params = { path: { id: tenant.id } };
        const { revoked } = await answerOf(api.DELETE('/v1/tenants/{id}/portal-sessions', { params }));
        announce(`${counted(revoked, 'portal session was', 'portal sessions were')} ended.`);
      }}
    >
      <p>
        Within a second, all users of the customer portal of{' '}
        <strong class="breakable">{tenantTitle(tenant)}</strong> are signed out. Your program can open new
        sessions at any time.
      </p>
    </Confirmation>
  );
}

function DeleteTenant({ tenant, onClose }: ConfirmedProps) {
  const api = useApi();
  const announce = useAnnounce();
  const address = useAddress();
  const { route } = useLocation();
  return (
    <Confirmation
      title="Delete this tenant?"
      deed="Delete tenant"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await answerOf(api.DELETE('/v1/tenants/{id}', { params: { path: { id: tenant.id } } }));
        announce('The tenant was deleted.');
        route(address('/tenants'), true);
      }}
    >
      <p>
        The webhooks of <strong class="breakable">{tenantTitle(tenant)}</strong> are deleted, the open
        deliveries of its events are canceled, and its portal sessions end. Its events and attempts disappear
        from all lists. A deleted tenant cannot be restored. The audit log keeps its entries about the tenant.
      </p>
    </Confirmation>
  );
}
