import { FlaskConical, Pencil } from 'lucide';
import { Fragment } from 'preact';

import type { Webhook } from '../../dashboard/api/types.js';
import { LinkButton } from '../../dashboard/components/button.js';
import { LoadedContent } from '../../dashboard/components/loadedContent.js';
import { webhookTitle } from '../../dashboard/components/shownName.js';
import { SkeletonBox } from '../../dashboard/components/skeleton.js';
import { Time } from '../../dashboard/components/time.js';
import { undeliveredCount } from '../../dashboard/health/healthText.js';
import { RecentEvents } from '../events/recentEvents.js';
import { optionFacts } from '../../dashboard/webhooks/optionFacts.js';
import { ViewFrame } from '../components/viewFrame.js';
import { linkTo } from '../navigation/view.js';
import { useMay, useMayTest } from '../session/portalContext.js';
import { EndpointActions } from './endpointActions.js';
import { EndpointBadge } from './endpointBadge.js';
import { EndpointTrouble } from './endpointTrouble.js';
import { useEndpoint } from './useEndpoint.js';

/** An endpoint: whether it works, why not, and what to do about it. */
export function EndpointView({ id }: { readonly id: string }) {
  const endpoint = useEndpoint(id);
  const mayWrite = useMay('webhooks:write');
  const mayRead = useMay('events:read');
  const { value } = endpoint;
  return (
    <ViewFrame
      title={value === null ? 'Endpoint' : webhookTitle(value.webhook)}
      back={{ href: linkTo('endpoints'), text: 'Endpoints' }}
      lede={
        value !== null && (
          <EndpointBadge status={value.webhook.status} health={endpoint.isOutdated ? null : value.health} />
        )
      }
      actions={mayWrite && value !== null && <HeadActions webhook={value.webhook} />}
    >
      <LoadedContent of={endpoint} waiting={<SkeletonBox size="large" what="the endpoint" />}>
        {({ webhook, health, isOld }) => (
          <div class="portal-parts">
            <EndpointTrouble webhook={webhook} health={health} isOld={isOld} />
            <Facts webhook={webhook} />
            {mayWrite && <EndpointActions webhook={webhook} onChanged={endpoint.reload} />}
            {mayRead && <RecentEvents endpointId={id} offersRecovery={undeliveredCount(health) === 0} />}
          </div>
        )}
      </LoadedContent>
    </ViewFrame>
  );
}

function HeadActions({ webhook: { id, status } }: { readonly webhook: Webhook }) {
  const mayTest = useMayTest();
  return (
    <>
      {mayTest && status === 'active' && (
        <LinkButton href={linkTo('endpoints', id, 'test')} icon={FlaskConical} kind="primary">
          Send test event
        </LinkButton>
      )}
      <LinkButton href={linkTo('endpoints', id, 'edit')} icon={Pencil}>
        Edit
      </LinkButton>
    </>
  );
}

function Facts({ webhook }: { readonly webhook: Webhook }) {
  const { url, events, created, secretInfo } = webhook;
  return (
    <section aria-labelledby="facts-heading" class="card card-text">
      <h2 id="facts-heading">Settings</h2>
      <dl class="portal-facts">
        <dt>URL</dt>
        <dd class="breakable">{url}</dd>
        <dt>Events</dt>
        <dd class="breakable">{events.includes('*') ? 'All events' : events.join(', ')}</dd>
        {optionFacts(webhook).map(({ name, text }) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <pre class="code breakable">{text}</pre>
            </dd>
          </Fragment>
        ))}
        <dt>Signing secret</dt>
        <dd>
          ends with <code>{secretInfo.last4}</code>, in use since <Time at={secretInfo.created} />
          {secretInfo.previousExpiresAt !== null && (
            <>
              . The previous secret also signs until <Time at={secretInfo.previousExpiresAt} />
            </>
          )}
        </dd>
        <dt>Added</dt>
        <dd>
          <Time at={created} />
        </dd>
      </dl>
    </section>
  );
}
