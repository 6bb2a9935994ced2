import { Identifier } from '../components/identifier.js';
import { useAddress } from '../navigation/useMode.js';
import { useWebhook, useWebhooks } from './webhookNames.js';

/** The URL of a webhook as a link to the webhook's page. A deleted webhook is shown by its id. */
export function WebhookLink({ id }: { readonly id: string }) {
  const address = useAddress();
  const webhook = useWebhook(id);
  const isKnown = useWebhooks().value !== null;
  if (webhook === null) {
    return (
      <span class="webhook-link">
        <Identifier id={id} />
        {isKnown && <span class="quiet small">deleted</span>}
      </span>
    );
  }
  return (
    <a class="webhook-link breakable" href={address(`/webhooks/${id}`)} title={id}>
      {webhook.url}
    </a>
  );
}
