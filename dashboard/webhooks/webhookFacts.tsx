import type { Webhook } from '../api/types.js';
import { Time } from '../components/time.js';

export function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  return (
    <section aria-labelledby="settings-heading">
      <h2 id="settings-heading">Settings</h2>
      <dl class="card pairs">
        <div>
          <dt>URL</dt>
          <dd class="breakable code">{webhook.url}</dd>
        </div>
        <div>
          <dt>Events</dt>
          <dd>
            {webhook.events.includes('*') ? (
              'All events'
            ) : (
              <ul class="types">
                {webhook.events.map((type) => (
                  <li key={type}>
                    <code class="breakable">{type}</code>
                  </li>
                ))}
              </ul>
            )}
          </dd>
        </div>
        <div>
          <dt>Description</dt>
          <dd class="breakable">{webhook.description ?? <span class="quiet">None</span>}</dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={webhook.created} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
