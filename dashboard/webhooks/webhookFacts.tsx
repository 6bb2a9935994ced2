import type { Webhook } from '../api/types.js';
import { Time } from '../components/time.js';
import { optionFacts } from './optionFacts.js';

export function WebhookFacts({ webhook }: { readonly webhook: Webhook }) {
  return (
    <section aria-labelledby="settings-heading">
      <h2 id="settings-heading">Settings</h2>
      <dl class="card pairs">
        {webhook.name !== null && (
          <div>
            <dt>Name</dt>
            <dd class="breakable">{webhook.name}</dd>
          </div>
        )}
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
        {optionFacts(webhook).map(({ name, text }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <pre class="code breakable">{text}</pre>
            </dd>
          </div>
        ))}
        <div>
          <dt>Description</dt>
          <dd class="breakable">{webhook.description ?? <span class="quiet">None</span>}</dd>
        </div>
        <div>
          <dt>Signing secret</dt>
          <dd>
            <SecretFacts secret={webhook.secretInfo} />
          </dd>
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

/** The end and the age of the signing secret, and how long the previous secret also signs. */
function SecretFacts({
  secret: { last4, created, previousExpiresAt },
}: {
  readonly secret: Webhook['secretInfo'];
}) {
  return (
    <span class="facts">
      {last4 !== null && (
        <span>
          ends with <code>{last4}</code>
        </span>
      )}
      <span>
        created <Time at={created} /> (<Time at={created} form="relative" />)
      </span>
      {previousExpiresAt === null ? (
        <span class="quiet">No previous secret signs.</span>
      ) : (
        <span>
          The previous secret also signs until <Time at={previousExpiresAt} />.
        </span>
      )}
    </span>
  );
}
