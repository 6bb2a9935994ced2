import { KeyRound, Power, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';

import { answerOf } from '../../dashboard/api/answer.js';
import type { Webhook } from '../../dashboard/api/types.js';
import { useAction } from '../../dashboard/api/useAction.js';
import { useAnnounce } from '../../dashboard/components/announcements.js';
import { Button } from '../../dashboard/components/button.js';
import { Confirmation } from '../../dashboard/components/confirmation.js';
import { FailureNotice } from '../../dashboard/components/failureNotice.js';
import { RotateSecret } from '../../dashboard/webhooks/rotateSecret.js';
import { linkTo } from '../navigation/view.js';
import { useApi } from '../session/portalContext.js';

interface EndpointActionsProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
}

type Asked = 'rotate' | 'disable' | 'delete';

/** The actions that change an endpoint as a whole. */
export function EndpointActions({ webhook, onChanged }: EndpointActionsProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const changeStatus = useStatusChange(webhook, onChanged);
  const enable = useAction(() => changeStatus('active'));
  return (
    <>
      <div class="buttons">
        <Button icon={KeyRound} onClick={() => setAsked('rotate')}>
          Rotate secret
        </Button>
        {webhook.status === 'active' ? (
          <Button icon={Power} onClick={() => setAsked('disable')}>
            Disable
          </Button>
        ) : (
          <Button icon={Power} kind="primary" isBusy={enable.isRunning} onClick={enable.run}>
            Enable
          </Button>
        )}
        <Button icon={Trash2} kind="danger" onClick={() => setAsked('delete')}>
          Delete
        </Button>
      </div>
      <FailureNotice failure={enable.failure} />
      {asked !== null && (
        <AskedDialog asked={asked} webhook={webhook} onChanged={onChanged} onClose={() => setAsked(null)} />
      )}
    </>
  );
}

function useStatusChange({ id }: Webhook, onChanged: () => void) {
  const api = useApi();
  const announce = useAnnounce();
  return async (status: Webhook['status']) => {
    await answerOf(api.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: { status } }));
    announce(status === 'active' ? 'The endpoint was enabled.' : 'The endpoint was disabled.');
    onChanged();
  };
}

interface AskedDialogProps extends EndpointActionsProps {
  readonly asked: Asked;
  readonly onClose: () => void;
}

function AskedDialog({ asked, webhook, onChanged, onClose }: AskedDialogProps) {
  const api = useApi();
  const announce = useAnnounce();
  const changeStatus = useStatusChange(webhook, onChanged);
  switch (asked) {
    case 'rotate':
      return (
        <RotateSecret
          api={api}
          webhook={webhook}
          onClose={() => {
            onClose();
            onChanged();
          }}
        />
      );
    case 'disable':
      return (
        <Confirmation
          title="Disable this endpoint?"
          deed="Disable"
          onConfirm={() => changeStatus('disabled')}
          onClose={onClose}
        >
          <p>It receives no events until you enable it. You can then send what it has missed.</p>
        </Confirmation>
      );
    case 'delete':
      return (
        <Confirmation
          title="Delete this endpoint?"
          deed="Delete"
          isDangerous
          onConfirm={async () => {
            await answerOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }));
            announce('The endpoint was deleted.');
            location.hash = linkTo('endpoints');
          }}
          onClose={onClose}
        >
          <p>It receives no further events. Its secret and its settings are lost. This cannot be undone.</p>
        </Confirmation>
      );
  }
}
