import { FailureNotice } from '../components/failureNotice.js';
import { PageFrame } from '../components/pageFrame.js';
import { webhookTitle } from '../components/shownName.js';
import type { PageProps } from '../navigation/pageProps.js';
import { useAddress } from '../navigation/useMode.js';
import { useWebhook, useWebhooks } from '../webhooks/webhookNames.js';
import { Samples } from './sampleCode.js';
import { SignatureForm } from './signatureForm.js';

/** A page with sample code that verifies signatures, and with a check of a request that a receiver has got. */
export function VerifyPage({ id }: PageProps) {
  const address = useAddress();
  const webhook = useWebhook(id);
  const { failure, reload } = useWebhooks();
  return (
    <PageFrame
      title="Verify signatures"
      back={{ href: address(`/webhooks/${id}`), text: 'Webhook' }}
      lede={
        <span class="breakable">
          The service signs each request to {webhook === null ? id : webhookTitle(webhook)} by the rules of
          Standard Webhooks.
        </span>
      }
    >
      <FailureNotice failure={failure} onRetry={reload} />
      <div class="form-and-result">
        <section aria-labelledby="check-heading" class="card card-text">
          <h2 id="check-heading">Check a request</h2>
          <SignatureForm last4={webhook?.secretInfo.last4 ?? null} format={webhook?.format ?? null} />
        </section>
        <section aria-labelledby="samples-heading" class="card card-text">
          <h2 id="samples-heading">Sample code</h2>
          <Samples />
        </section>
      </div>
    </PageFrame>
  );
}
