import { webhookTitle } from '../components/shownName.js';
import { firstPage } from '../navigation/pageLinks.js';
import { useParameters } from '../navigation/useParameters.js';
import { useWebhooks } from './webhookNames.js';

/** A filter of a list by a webhook. If an account has more webhooks than one response, users enter the id. */
export function WebhookFilter() {
  return useWebhooks().value?.hasMore === true ? <WebhookIdFilter /> : <WebhookChoice />;
}

/** A choice of a webhook. A deleted webhook in the address is shown by its id. */
function WebhookChoice() {
  const [parameters, change] = useParameters();
  const selected = parameters.get('webhook');
  const webhooks = useWebhooks().value?.data ?? [];
  return (
    <label class="filter">
      <span>Webhook</span>
      <select
        class="webhook-select"
        onChange={({ currentTarget: { value } }) => {
          change({ ...firstPage, webhook: value });
        }}
      >
        <option value="" selected={selected === null}>
          Any
        </option>
        {webhooks.map((webhook) => (
          <option key={webhook.id} value={webhook.id} selected={webhook.id === selected}>
            {webhookTitle(webhook)}
          </option>
        ))}
        {selected !== null && !webhooks.some(({ id }) => id === selected) && (
          <option value={selected} selected>
            {selected}
          </option>
        )}
      </select>
    </label>
  );
}

function WebhookIdFilter() {
  const [parameters, change] = useParameters();
  return (
    <label class="filter">
      <span>Webhook id</span>
      <input
        type="search"
        value={parameters.get('webhook') ?? ''}
        placeholder="wh_…"
        spellcheck={false}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => {
          change({ ...firstPage, webhook: value.trim() });
        }}
      />
    </label>
  );
}
