import { Identifier } from '../components/identifier.js';
import { webhookTitle } from '../components/shownName.js';
import { useAddress } from '../navigation/useMode.js';
import { useFoundWebhook } from './webhookNames.js';

/** The name or the URL of a webhook as a link to the webhook's page. A deleted webhook is shown by its id. */
export function WebhookLink({ id }: { readonly id: string }) {
  const address = useAddress();
  const { webhook, isDeleted } = useFoundWebhook(id);
  if (webhook === null) {
    return (
      <span class="webhook-link">
        <Identifier id={id} />
        {isDeleted && <span class="quiet small">deleted</span>}
      </span>
    );
  }
  return (
    <a class="webhook-link breakable" href={address(`/webhooks/${id}`)} title={webhook.url}>
      {webhookTitle(webhook)}
    </a>
  );
}
