import { BellOff, Eye, FlaskConical, KeyRound, LifeBuoy, Pencil, Power, ShieldCheck, Trash } from 'lucide';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';

import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAnnounce } from '../components/announcements.js';
import { Button, LinkButton } from '../components/button.js';
import { Confirmation } from '../components/confirmation.js';
import { useAddress, useMode } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { ChangeStatus } from './changeStatus.js';
import { EditWebhook } from './editWebhook.js';
import { MuteWebhook } from './muteWebhook.js';
import { RotateSecret } from './rotateSecret.js';
import { useWebhooks } from './webhookNames.js';

type Open = 'edit' | 'mute' | 'rotate' | 'status' | 'delete';

interface WebhookActionsProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

export function WebhookActions({ webhook, onChanged }: WebhookActionsProps) {
  const address = useAddress();
  const [open, setOpen] = useState<Open | null>(null);
  const isActive = webhook.status === 'active';
  const close = () => {
    setOpen(null);
  };
  if (!useMay('developer')) {
    return null;
  }
  return (
    <>
      <LiveActions webhook={webhook} />
      <LinkButton icon={Eye} href={address(`/webhooks/${webhook.id}/preview`)}>
        Preview event
      </LinkButton>
      <LinkButton icon={ShieldCheck} href={address(`/webhooks/${webhook.id}/verify`)}>
        Verify signatures
      </LinkButton>
      <Button icon={Pencil} onClick={() => setOpen('edit')}>
        Edit webhook
      </Button>
      <Button icon={KeyRound} onClick={() => setOpen('rotate')}>
        Rotate secret
      </Button>
      <Button icon={BellOff} onClick={() => setOpen('mute')}>
        Mute
      </Button>
      <Button icon={Power} kind={isActive ? 'secondary' : 'primary'} onClick={() => setOpen('status')}>
        {isActive ? 'Disable' : 'Enable'}
      </Button>
      <Button icon={Trash} kind="danger" onClick={() => setOpen('delete')}>
        Delete webhook
      </Button>
      {open !== null && <OpenDialog open={open} webhook={webhook} onChanged={onChanged} onClose={close} />}
    </>
  );
}

/** The actions that deliver events. In test mode the service delivers no events. */
function LiveActions({ webhook }: { readonly webhook: Webhook }) {
  const address = useAddress();
  if (useMode() === 'test') {
    return null;
  }
  return (
    <>
      {webhook.status === 'active' && (
        <LinkButton icon={FlaskConical} href={address(`/webhooks/${webhook.id}/test`)}>
          Send test event
        </LinkButton>
      )}
      <LinkButton icon={LifeBuoy} href={address(`/webhooks/${webhook.id}/recover`)}>
        Recover events
      </LinkButton>
    </>
  );
}

interface OpenDialogProps extends WebhookActionsProps {
  readonly open: Open;
  readonly onClose: () => void;
}

function OpenDialog({ open, webhook, onChanged, onClose }: OpenDialogProps) {
  const api = useApi();
  switch (open) {
    case 'edit':
      return <EditWebhook webhook={webhook} onChanged={onChanged} onClose={onClose} />;
    case 'mute':
      return <MuteWebhook webhook={webhook} onChanged={onChanged} onClose={onClose} />;
    case 'rotate':
      return <RotateSecret api={api} webhook={webhook} onClose={onClose} />;
    case 'status':
      return <ChangeStatus webhook={webhook} onChanged={onChanged} onClose={onClose} />;
    case 'delete':
      return <DeleteWebhook webhook={webhook} onClose={onClose} />;
  }
}

function DeleteWebhook({ webhook, onClose }: Pick<OpenDialogProps, 'webhook' | 'onClose'>) {
  const api = useApi();
  const announce = useAnnounce();
  const address = useAddress();
  const { route } = useLocation();
  const { reload } = useWebhooks();
  return (
    <Confirmation
      title="Delete this webhook?"
      deed="Delete webhook"
      isDangerous
      onClose={onClose}
      onConfirm={async () => {
        await answerOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }));
        announce('The webhook was deleted.');
        reload();
        route(address('/webhooks'), true);
      }}
    >
      <p>
        <strong class="breakable">{webhook.url}</strong> gets no more events. The webhook’s past deliveries
        remain visible. A deleted webhook cannot be restored.
      </p>
    </Confirmation>
  );
}
