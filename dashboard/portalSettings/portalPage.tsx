import type { ComponentChildren } from 'preact';
import { useCallback } from 'preact/hooks';

import { answerOf } from '../api/answer.js';
import type { PortalSettings } from '../api/types.js';
import { useLoaded } from '../api/useLoaded.js';
import { LoadedContent } from '../components/loadedContent.js';
import { Notice } from '../components/notice.js';
import { PageFrame } from '../components/pageFrame.js';
import { SkeletonBox } from '../components/skeleton.js';
import { useAddress } from '../navigation/useMode.js';
import { useApi, useMay } from '../session/session.js';
import { PortalForm } from './portalForm.js';
import { PortalPreview } from './portalPreview.js';

/** The appearance of the customer portal, and the pages that may embed it. Only owners change it. */
export function PortalPage() {
  const api = useApi();
  const address = useAddress();
  const may = useMay('owner');
  const load = useCallback(
    async (signal: AbortSignal): Promise<PortalSettings> =>
      (await answerOf(api.GET('/v1/account', { signal }))).portal,
    [api],
  );
  const settings = useLoaded(load);
  return (
    <PageFrame
      title="Customer portal"
      lede={
        <>
          The page on which your customers manage their webhooks. The settings apply to live mode and test
          mode. To open the portal as a customer, open its <a href={address('/tenants')}>tenant</a>.
        </>
      }
    >
      <LoadedContent of={settings} waiting={<SkeletonBox size="large" what="the settings" />}>
        {(shown) =>
          may ? <PortalForm settings={shown} onSaved={settings.reload} /> : <PortalFacts settings={shown} />
        }
      </LoadedContent>
    </PageFrame>
  );
}

const schemeTexts = { auto: 'As the customer’s device', light: 'Light', dark: 'Dark' } as const;

function PortalFacts({ settings }: { readonly settings: PortalSettings }) {
  const { name, logoUrl, accentColor, colorScheme, origins } = settings;
  return (
    <>
      <Notice kind="info">
        <p>Only owners of the account can change these settings.</p>
      </Notice>
      <dl class="card pairs">
        <Pair name="Name">{name}</Pair>
        <Pair name="Logo URL">{logoUrl}</Pair>
        <Pair name="Accent color">{accentColor}</Pair>
        <Pair name="Color scheme">{schemeTexts[colorScheme]}</Pair>
        <Pair name="Origins">{origins.length === 0 ? null : origins.join(', ')}</Pair>
      </dl>
      <PortalPreview name={name ?? ''} accent={accentColor} />
    </>
  );
}

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="breakable">{children ?? <span class="quiet">None</span>}</dd>
    </div>
  );
}
