import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { Account } from '../api/types.js';
import { Identifier } from '../components/identifier.js';
import { LoadedContent } from '../components/loadedContent.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import { Time } from '../components/time.js';
import { countText } from '../components/timeText.js';
import { useMode } from '../navigation/useMode.js';
import { useApi } from '../session/session.js';
import { useRefreshed } from '../api/useRefreshed.js';

const planNames = { free: 'Free', pro: 'Pro', enterprise: 'Enterprise' } as const;
const refreshMs = 5000;

export function PlanPage() {
  const api = useApi();
  const mode = useMode();
  const load = useCallback(
    (signal: AbortSignal): Promise<Account> => answerOf(api.GET('/v1/account', { signal })),
    [api],
  );
  const account = useRefreshed(load, () => refreshMs);
  return (
    <PageFrame
      title="Plan and limits"
      lede="The limits of the account’s plan, and the account’s current usage."
    >
      <LoadedContent of={account} waiting={<SkeletonBox size="large" what="the plan" />}>
        {(shown) => (
          <>
            <AccountFacts account={shown} />
            <section aria-labelledby="use-heading">
              <h2 id="use-heading">Current usage, {mode} mode</h2>
              <div class="card card-text meters">
                <UseMeter
                  name="Requests this second"
                  used={shown.usage[mode].requestsThisSecond}
                  limit={shown.limits.requestsPerSecond}
                  note="Above the limit, the service responds with 429 and Retry-After. Live mode and test mode have separate limits. Requests of the dashboard count too."
                />
                <UseMeter
                  name="Webhooks"
                  used={shown.usage[mode].webhooks}
                  limit={shown.limits.webhooks}
                  note="The limit applies to live mode and test mode separately."
                />
                <p class="meter-name">
                  API keys <strong>{countText(shown.usage[mode].apiKeys)}</strong>
                </p>
              </div>
            </section>
          </>
        )}
      </LoadedContent>
    </PageFrame>
  );
}

function AccountFacts({ account }: { readonly account: Account }) {
  return (
    <section aria-labelledby="account-heading">
      <h2 id="account-heading">Account</h2>
      <dl class="card pairs">
        <div>
          <dt>Plan</dt>
          <dd>
            <strong>{planNames[account.plan]}</strong>: {countText(account.limits.requestsPerSecond)} requests
            per second
          </dd>
        </div>
        <div>
          <dt>Name</dt>
          <dd class="breakable">{account.name}</dd>
        </div>
        <div>
          <dt>Account id</dt>
          <dd>
            <Identifier id={account.id} what="account id" />
          </dd>
        </div>
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={account.created} />
          </dd>
        </div>
      </dl>
      <p class="quiet">
        To change the plan, contact the operator of this service: <code>postrider account set-plan</code>.
      </p>
    </section>
  );
}

interface UseMeterProps {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly note: string;
}

function UseMeter({ name, used, limit, note }: UseMeterProps) {
  return (
    <div class="meter">
      <label>
        <span class="meter-name">
          {name}{' '}
          <strong>
            {countText(used)} of {countText(limit)}
          </strong>
        </span>
        <meter min={0} max={limit} high={limit * 0.9} value={used} />
      </label>
      <p class="quiet small">{note}</p>
    </div>
  );
}
