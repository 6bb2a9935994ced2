import { answerOf } from '../api/answer.js';
import type { Webhook } from '../api/types.js';
import { useAction } from '../api/useAction.js';
import { useAnnounce } from '../components/announcements.js';
import { Dialog } from '../components/dialog.js';
import { useApi } from '../session/session.js';
import { WebhookForm, type WebhookInput } from './webhookForm.js';

interface EditWebhookProps {
  readonly webhook: Webhook;
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

export function EditWebhook({ webhook, onChanged, onClose }: EditWebhookProps) {
  const api = useApi();
  const announce = useAnnounce();
  const save = useAction(async (body: WebhookInput) => {
    await answerOf(api.PATCH('/v1/webhooks/{id}', { params: { path: { id: webhook.id } }, body }));
    announce('The webhook was changed.');
    onChanged();
    onClose();
  });
  return (
    <Dialog title="Edit webhook" onClose={onClose}>
      <WebhookForm
        webhook={webhook}
        deed="Save webhook"
        isRunning={save.isRunning}
        failure={save.failure}
        onSubmit={save.run}
      />
    </Dialog>
  );
}
